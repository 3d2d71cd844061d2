// SPDX-License-Identifier: GPL-2.0
// What tests/host/page.sh does with the page of `hytrace report -f html` in a browser: it puts this script at the end
// of a copy of the page, and reads the element "result", which is JSON. The page's own names are left alone: all goes
// by what a person sees, clicks and types.
'use strict';
(async () => {
	const result = {};
	const wait = () => new Promise(done => setTimeout(done, 200));
	const rows = () => [...document.querySelectorAll('#table tbody tr')];
	const text = element => element.innerText.replace(/\s+/g, ' ').trim();
	const seen = () => rows().map(row => [...row.cells].map(text).join(' | '));
	const row = name => rows().find(r => text(r.cells[0]).replace(/^. /, '').startsWith(name));
	const filter = value => document.querySelector('#filters button[value="' + value + '"]');
	const key = name => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: name, bubbles: true }));
	const focused = () => text(document.activeElement.cells[0]);
	const search = async query => {
		const input = document.getElementById('search');

		input.value = query;
		input.dispatchEvent(new Event('input'));
		await wait();
		return [text(document.getElementById('said')), ...seen()];
	};
	// A bar has its numbers in its title. Where there is little room, the cell of a directory does not show them.
	const numbers = element => (element.textContent || element.title).match(/[\d,]+(?= of)|(?<=of )[\d,]+/g)?.map(n => +n.replaceAll(',', ''));

	const box = element => element.getBoundingClientRect();
	// What can be seen of the page as it is now: how wide it is, and its rows, whose cells may be one strip.
	const sizes = () => ({
		window: innerWidth, page: document.documentElement.scrollWidth, names: Math.min(...rows().map(r => box(r.cells[0]).width)),
		highest: Math.max(...rows().map(r => box(r).height)), right: Math.max(...rows().map(r => box(r).right)),
		cells: rows().map(r => r.querySelector('.strip')?.children.length ?? r.querySelectorAll('td.cell').length),
		narrowest: Math.min(...[...document.querySelectorAll('td .strip > *, td.cell')].map(e => box(e).width)),
		wordy: [...document.querySelectorAll('td.cell')].filter(e => text(e).length > 1).length,
		cards: [...document.querySelectorAll('.card')].filter(e => e.checkVisibility()).length,
	});
	// The browser goes back later, in real time, which only passes while something is loaded.
	const back = async () => {
		let there = false;

		addEventListener('popstate', () => there = true, { once: true });
		history.back();
		for (let n = 0; !there && n < 20000; n++)
			await new Promise(done => Object.assign(new Image(), { onload: done, onerror: done, src: 'data:,' + n }));
	};
	// Is the middle of an element what a person sees there?
	const inSight = element => {
		const { left, top, width, height } = box(element), there = document.elementFromPoint(left + Math.min(width / 2, 40), top + height / 2);

		return !!there && (element.contains(there) || there.contains(element));
	};

	try {
		result.title = document.title;
		result.heading = document.getElementById('title').textContent;
		result.kernel = text(document.getElementById('kernel'));
		result.cards = [...document.querySelectorAll('.card')].map(text);
		result.totals = [...document.querySelectorAll('.card')].map(card => numbers(card.querySelector('.top')));
		result.filters = [...document.querySelectorAll('#filters button')].map(text);
		result.top = seen();
		// Of the rows of the first level: [seen, asked for] of each column.
		result.sums = document.querySelector('td .strip') ? [] : rows().map(r => [...r.cells].slice(2).map(numbers));
		result.detail = text(document.getElementById('detail'));
		if (typeof MORE === 'function')
			await MORE({ result, wait, rows, row, seen, text, filter, key, focused, search, box, sizes, inSight, back });
	} catch (error) {
		result.error = String(error);
	}
	result.markup = document.querySelectorAll('#table script, #table img, #detail img, b i').length;
	result.loaded = performance.getEntriesByType('resource').map(entry => entry.name);
	if (parent !== window)
		return parent.postMessage({ name: window.name, result }, '*');
	const pre = document.createElement('pre');

	pre.id = 'result';
	pre.textContent = JSON.stringify(result);
	document.getElementById('data').remove();
	document.body.append(pre);
})();
