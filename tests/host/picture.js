// SPDX-License-Identifier: GPL-2.0
// What tests/guest/picture-lib.sh does with a picture of `hytrace boot -f svg` in a browser: it puts this script at the
// end of a copy of the picture, and reads the element "result", which is JSON.
'use strict';
(() => {
	const svg = document.documentElement;
	const box = element => element.getBoundingClientRect();
	const tip = element => element.querySelector(':scope > title')?.textContent ?? '';
	const bars = [...document.querySelectorAll('.view')].flatMap((view, index) => [...view.querySelectorAll('rect.bar')].map(bar => ({
		view: index, lane: bar.closest('.lane').getAttribute('aria-label'),
		// The name is all of the first line.
		name: tip(bar).split('\n')[0], tip: tip(bar), class: bar.getAttribute('class').split(' ')[1],
		joined: bar.classList.contains('joined'), x: box(bar).x, y: box(bar).y, width: box(bar).width, height: box(bar).height,
	})));
	const labels = [...document.querySelectorAll('text.on')].map(label => ({
		text: label.textContent, right: box(label).right, y: box(label).y,
	}));
	// Names of the first view that lie in the picture and under no other text, by lane.
	const texts = [...document.querySelectorAll('text')];
	const meets = (a, b) => a.left < b.right && a.right > b.left && a.top + 1 < b.bottom && a.bottom - 1 > b.top;
	const readable = Object.fromEntries([...document.querySelector('.view').querySelectorAll('.lane')].map(lane => [lane.getAttribute('aria-label'),
		[...lane.querySelectorAll('text:not(.soft)')].filter(e => box(e).left > 130 && box(e).right < box(svg).width &&
			!texts.some(other => other !== e && meets(box(e), box(other)))).map(e => e.textContent)]));
	const outside = [...document.querySelectorAll('text, rect, path')].filter(e => e.textContent !== '' || e.matches('rect'))
		.filter(e => box(e).left < -0.5 || box(e).right > box(svg).width + 0.5 || box(e).bottom > box(svg).height + 0.5);
	const result = {
		title: document.title, bars, labels, readable,
		views: [...document.querySelectorAll('.view')].map(v => ({ from: +v.dataset.from, to: +v.dataset.to })),
		lanes: [...document.querySelectorAll('.lane')].map(l => l.getAttribute('aria-label')),
		legend: [...document.querySelectorAll('.legend')].map(l => l.textContent),
		width: box(svg).width, height: box(svg).height,
		outside: outside.map(e => e.textContent.slice(0, 60)),
		// What a class means must show: each has a colour of its own, and it is not that of the paper.
		colours: Object.fromEntries(bars.map(b => b.class).map(c => [c, getComputedStyle(document.querySelector('rect.' + c)).fill])),
		paper: getComputedStyle(document.querySelector('.paper')).fill,
		ink: getComputedStyle(document.querySelector('.head')).fill,
		// Names must not have become elements.
		elements: [...new Set([...document.querySelectorAll('*')].map(e => e.localName))].sort(),
		handlers: [...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => /^on/.test(a.name)).length,
		loaded: performance.getEntriesByType('resource').map(entry => entry.name),
	};
	// HTML's <pre>, as the browser prints all of the document.
	const pre = document.createElementNS('http://www.w3.org/1999/xhtml', 'pre');

	pre.id = 'result';
	pre.textContent = JSON.stringify(result);
	svg.append(pre);
})();
