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
	const numbers = element => text(element).match(/[\d,]+(?= of)|(?<=of )[\d,]+/g).map(n => +n.replaceAll(',', ''));

	try {
		result.title = document.title;
		result.heading = document.getElementById('title').textContent;
		result.kernel = text(document.getElementById('kernel'));
		result.cards = [...document.querySelectorAll('.card')].map(text);
		result.totals = [...document.querySelectorAll('.card')].map(card => numbers(card.querySelector('.top')));
		result.filters = [...document.querySelectorAll('#filters button')].map(text);
		result.top = seen();
		// Of the rows of the first level: [seen, asked for] of each column.
		result.sums = rows().map(r => [...r.cells].slice(2).map(numbers));
		result.detail = text(document.getElementById('detail'));
		if (typeof MORE === 'function')
			await MORE({ result, wait, rows, row, seen, text, filter, key, focused, search });
	} catch (error) {
		result.error = String(error);
	}
	result.markup = document.querySelectorAll('#table script, #table img, #detail img, b i').length;
	result.loaded = performance.getEntriesByType('resource').map(entry => entry.name);
	const pre = document.createElement('pre');

	pre.id = 'result';
	pre.textContent = JSON.stringify(result);
	document.getElementById('data').remove();
	document.body.append(pre);
})();
