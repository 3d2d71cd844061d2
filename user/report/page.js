// SPDX-License-Identifier: GPL-2.0-only
// The script of page.html. Rows of the table are made when they come into view by a click; names come into the page as
// text nodes only, so that none of them can be markup.
'use strict';
const D = JSON.parse(document.getElementById('data').textContent);
const ROWS = D.lines.length;		// functions of the table; names beyond are of those that it does not have
const COLUMNS = D.columns.length;
const FIRST = 300;			// so many rows of one place are shown at first
const FORM = ['one', 'two', 'bars', 'heat'][COLUMNS < 3 ? COLUMNS - 1 : COLUMNS < 8 ? 2 : 3];	// of the table

const $ = id => document.getElementById(id);
const number = n => n.toLocaleString('en-US');
const percent = (part, all) => all ? (100 * part / all).toFixed(1) + '\u00a0%' : '\u2013';
const within = D.in ? ' in ' + D.in : '';	// of which part of the kernel the page is
const plural = (n, what) => number(n) + ' ' + what + (n === 1 ? '' : 's');

// make('td.name', {title: 'x'}, 'text', element, ...): an element; texts become text nodes, and null nothing.
function make(what, ...rest) {
	const [tag, ...classes] = what.split('.');
	const element = document.createElement(tag);

	if (classes.length)
		element.className = classes.join(' ');
	for (const item of rest) {
		if (item === null || item === undefined)
			continue;
		if (typeof item !== 'object')
			element.append(String(item));
		else if (item instanceof Node)
			element.append(item);
		else
			for (const [name, value] of Object.entries(item))
				name.startsWith('on') ? element.addEventListener(name.slice(2), value) :
							element.setAttribute(name, value);
	}
	return element;
}

// The colour of a share: from orange, a little, to blue, all. Nothing is grey, and what has no share has no colour.
const shade = share => share < 0 ? 'transparent' : !share ? 'var(--track)' :
	'color-mix(in oklch longer hue, var(--bar) ' + Math.round(100 * share) + '%, var(--low))';

function bar(part, all) {
	const inner = make('i');

	inner.style.width = (all ? 100 * part / all : 0) + '%';
	inner.style.background = shade(all ? part / all : 0);
	return make('span.bar', {'aria-hidden': 'true'}, inner);
}

// A cell for each column: cell(c) has its colour and its title.
function strip(cell, tag = 'i', more = () => ({})) {
	return make('div.strip', ...D.columns.map((column, c) => {
		const [colour, title] = cell(c), part = make(tag, { title: column.label + ': ' + title, ...more(c) });

		part.style.background = colour;
		return part;
	}));
}

/* ---------------------------------------------------------------- the data, by function */

const unitOf = new Uint32Array(ROWS);
D.units.reduce((first, unit, u) => (unitOf.fill(u, first, first + unit[2]), first + unit[2]), 0);
const headerOf = new Map(D.files);		// of a function that is defined in another file than was compiled
const module = i => i < ROWS ? D.units[unitOf[i]][1] : null;
const file = i => i >= ROWS ? null : headerOf.has(i) ? D.paths[headerOf.get(i)] : D.units[unitOf[i]][0];
const place = i => !file(i) ? null : D.lines[i] ? file(i) + ':' + D.lines[i] : file(i);
// Flags of each function in each column. 1 seen, + seen all the same, 0 and o unseen, p unseen and proved to have run, q unseen and
// perhaps run inlined; others: not traced.
const SEEN = 1, ASKED = 2, PROVED = 4, UNKNOWN = 8;
const flagsOf = { 1: SEEN | ASKED, '+': SEEN, 0: ASKED, o: ASKED, p: ASKED | PROVED, q: ASKED | UNKNOWN };
const most = Uint8Array.from(D.marks, mark => flagsOf[mark]);
for (const column of D.columns) {
	column.flags = most.slice();
	column.changed = new Map();
	column.changes.reduce((i, step, n) => {
		i += step;
		column.flags[i] = flagsOf[column.marks[n]];
		column.changed.set(i, column.marks[n]);
		return i;
	}, -1);
}
const isSeen = (i, c) => D.columns[c].flags[i] & SEEN;
const isAsked = (i, c) => D.columns[c].flags[i] & ASKED;
const isProved = (i, c) => D.columns[c].flags[i] & PROVED;
const isUnknown = (i, c) => D.columns[c].flags[i] & UNKNOWN;
const verdictOf = (i, c) => D.verdicts[D.columns[c].changed.get(i) || D.marks[i]];
const counts = (i, c) => D.classes[i] === 't' && isAsked(i, c);	// it is part of the share

// How many columns were asked for it, how many have seen it, and in how many it ran, or may have run, all the same.
const seenBy = new Uint8Array(ROWS), askedBy = new Uint8Array(ROWS), provedBy = new Uint8Array(ROWS), unknownBy = new Uint8Array(ROWS);
for (let i = 0; i < ROWS; i++)
	for (let c = 0; c < COLUMNS; c++) {
		seenBy[i] += !!isSeen(i, c);
		askedBy[i] += !!isAsked(i, c);
		provedBy[i] += !!isProved(i, c);
		unknownBy[i] += !!isUnknown(i, c);
	}

// Of a union, in how many of its runs each function was seen; no number: in all, or in none.
for (const column of D.columns) {
	let n = 0;

	column.runsOf = new Map();
	for (let i = 0; column.runs.length && i < ROWS; i++)
		if (column.flags[i] & SEEN && column.runs[n++])
			column.runsOf.set(i, column.runs[n - 1]);
}
const runs = c => D.columns[c].merged ? D.columns[c].merged.length : 1;
const seenRuns = (i, c) => D.columns[c].runsOf.get(i) || runs(c);
const inAll = i => seenBy[i] === COLUMNS && !D.columns.some(column => column.runsOf.has(i));

// Hits: [function, time, cpu, task, which of the functions to be seen, also of those that --in leaves out]. Calls: caller, offset, callee;
// callee below 0: how it was called.
for (const column of D.columns) {
	let time = 0, nth = 0, at = 0, has = true;

	column.first = new Map();
	for (let n = 0; n < (column.hits || []).length; n += 5) {
		const [i, step, cpu, by, functions] = column.hits.slice(n, n + 5);

		column.first.set(i, [i, time += step, cpu, by, nth += functions]);
	}
	column.has = new Uint8Array(D.sites.length / 3);
	for (const span of column.calls) {
		column.has.fill(has, at, at += span);
		has = !has;
	}
}
const site = n => D.sites.slice(3 * n, 3 * n + 3);
// Of a function, the call sites in it and those that call it.
const sitesIn = new Map(), sitesTo = new Map();
for (let n = 0; 3 * n < D.sites.length; n++)
	for (const [map, key] of [[sitesIn, D.sites[3 * n]], [sitesTo, D.sites[3 * n + 2]]])
		map.has(key) ? map.get(key).push(n) : map.set(key, [n]);
const sourceOf = new Map((D.sources || []).map(source => [D.paths[source[0]] + ':' + source[1], source]));

function seconds(us) {
	return (us / 1e6).toFixed(6) + ' s';
}

function task(t) {
	const [pid, comm] = D.tasks[t];

	return !pid ? 'the idle task' : comm ? comm + ' (pid ' + pid + ')' : 'pid ' + pid;
}

/* ---------------------------------------------------------------- the tree of directories */

function newNode(name, path, parent) {
	return { name, path, parent, level: parent ? parent.level + 1 : 0, children: new Map(), functions: [], shown: 0,
		 ...Object.fromEntries(['seen', 'asked', 'beside', 'unknown', 'init', 'inits'].map(what => [what, new Uint32Array(COLUMNS)])) };
}

const root = newNode('', '', null);
const nodes = new Map();

function nodeAt(path) {
	if (!path)
		return root;
	if (!nodes.has(path)) {
		const slash = path.lastIndexOf('/');
		const parent = nodeAt(slash < 0 ? '' : path.slice(0, slash));
		const node = newNode(path.slice(slash + 1), path, parent);

		parent.children.set(node.name, node);
		nodes.set(path, node);
	}
	return nodes.get(path);
}

// Without source files, the beginnings of names say something: "ext4_file_open" is of ext4.
function pathOf(i) {
	const [unit, mod, , owner] = D.units[unitOf[i]];
	const above = owner ? owner.replaceAll('/', '\u2215') + '/' : owner === null ? '(others)/' : '';

	if (unit)
		return above + (mod && !D.placed ? '[' + mod + ']/' + unit : unit);
	if (mod)
		return '[' + mod + ']';
	const prefix = D.names[i].match(/^_*([^_.]+)_/);

	return D.placed || !prefix ? '(source file not known)' : prefix[1] + '_\u2026';
}

for (let i = 0; i < ROWS; i++) {
	const leaf = nodeAt(pathOf(i));

	leaf.functions.push(i);
	for (let node = leaf; node; node = node.parent)
		for (let c = 0; c < COLUMNS; c++) {
			const seen = !!isSeen(i, c), counted = counts(i, c);

			node.asked[c] += !!counted;
			node[counted ? 'seen' : 'beside'][c] += seen;
			node.unknown[c] += D.classes[i] === 'u' && seen;
			if (D.classes[i] === 'i' && isAsked(i, c)) {
				node.inits[c]++;
				node.init[c] += seen;
			}
		}
}

/* ---------------------------------------------------------------- what is shown */

const filters = [
	['all', 'All', () => true, 'all functions' + within + ' that can be traced'],
	['seen', COLUMNS > 1 ? 'Seen in any' : 'Seen', i => seenBy[i], 'those that ran'],
	['unseen', COLUMNS > 1 ? 'Unseen in all' : 'Unseen', i => !seenBy[i] && !provedBy[i] && !unknownBy[i] && askedBy[i] === COLUMNS && D.classes[i] !== 'e',
	 'those that were traced' + (COLUMNS > 1 ? ' each time' : '') + ' and never called'],
];
if (provedBy.some(n => n))
	filters.push(['proved', 'Proved', i => !seenBy[i] && provedBy[i], 'those that recorded calls prove to have run']);
if (unknownBy.some(n => n))
	filters.push(['perhaps', 'Perhaps', i => !seenBy[i] && !provedBy[i] && unknownBy[i], 'those that may have run inlined']);
if (COLUMNS > 1)
	filters.push(['every', COLUMNS === 2 ? 'In both' : 'In all', inAll, 'those that ran each time']);
if (COLUMNS > 2 || D.columns.some(column => column.merged))
	filters.push(['some', 'Not in all', i => seenBy[i] && !inAll(i), 'those that ran in some and not in all']);
if (COLUMNS > 2)
	filters.push(['only', 'Only in one', i => seenBy[i] === 1, 'those that ran in one and in no other']);
else if (COLUMNS === 2)
	D.columns.forEach((column, c) => filters.push(
		['only' + c, 'Only in ' + column.label, i => seenBy[i] === 1 && isSeen(i, c) && !provedBy[i] && !unknownBy[i], 'those that ran there and nowhere else']));

// The order: by name; n, the most functions first; the number of a column, or -1 less it: the highest or the lowest share first.
const view = { filter: 'all', sort: 'name', query: '', chosen: -1, open: new Set(), whole: new Set(), focus: 0 };
let visible = [];			// the rows on the screen: {node} or {i} or {more}

const passes = () => filters.find(f => f[0] === view.filter)[2];

function count() {
	const test = passes();

	root.shown = 0;
	nodes.forEach(node => node.shown = 0);
	for (const node of [root, ...nodes.values()]) {
		let n = 0;

		for (const i of node.functions)
			n += !!test(i);
		for (let up = node; n && up; up = up.parent)
			up.shown += n;
	}
}

const shareOf = (node, c) => node.asked[c] ? node.seen[c] / node.asked[c] : -1;
const sortedBy = () => +view.sort < 0 ? -1 - view.sort : +view.sort;		// the column; NaN: none
const forward = () => +view.sort < 0 ? -1 : 1;
const kind = node => (node.path[0] === '[' || node.path[0] === '(' ? 2 : node.functions.length && !node.children.size ? 1 : 0);

function order(a, b) {
	const c = sortedBy();

	return (view.sort === 'n' ? b.shown - a.shown : c >= 0 ? forward() * (shareOf(b, c) - shareOf(a, c)) : 0) ||
		kind(a) - kind(b) || (a.name < b.name ? -1 : 1);
}

// A directory with nothing in it but another one goes into that one's line.
function folded(node) {
	while (node.children.size === 1 && !node.functions.length) {
		const [only] = node.children.values();

		if (!only.children.size)
			break;
		node = only;
	}
	return node;
}

function addPart(list, key, level, add) {
	const limit = view.whole.has(key) ? list.length : FIRST;

	list.slice(0, limit).forEach(add);
	if (list.length > limit)
		visible.push({ more: key, left: list.length - limit, level });
}

function addNode(node, level) {
	const test = passes();

	for (const child of [...node.children.values()].filter(n => n.shown).sort(order)) {
		const at = folded(child);

		visible.push({ node: at, level, name: at.path.slice(node.path.length ? node.path.length + 1 : 0) });
		if (view.open.has(at.path))
			addNode(at, level + 1);
	}
	const list = node.functions.filter(test);

	const c = sortedBy(), rank = i => (isSeen(i, c) ? 2 + seenRuns(i, c) / runs(c) : isAsked(i, c) ? 1 : 0);

	list.sort((a, b) => (c >= 0 ? forward() * (rank(b) - rank(a)) : 0) || (D.names[a] < D.names[b] ? -1 : 1));
	addPart(list, node.path, level, i => visible.push({ i, level }));
}

/* ---- searching */

function matcher(query) {
	const text = query.toLowerCase();

	if (!/[*?]/.test(text))
		return name => name.toLowerCase().includes(text);
	const glob = new RegExp('^' + text.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*/g, '.*').replace(/\?/g, '.') + '$');

	return name => glob.test(name.toLowerCase());
}

function find() {
	const matches = matcher(view.query), text = view.query.toLowerCase(), test = passes();
	const rank = i => { const name = D.names[i].toLowerCase();
			    return name === text ? 0 : name.startsWith(text) ? 1 : 2; };
	const found = [];
	let beyond = 0;
	const places = [...nodes.values()].filter(node => node.shown && matches(text.includes('/') ? node.path : node.name));

	for (let i = 0; i < D.names.length; i++) {
		if (!matches(D.names[i]) || (i < ROWS ? !test(i) : view.filter !== 'all'))
			continue;
		beyond += i >= ROWS && !!untraced(i);
		found.push(i);
	}
	found.sort((a, b) => rank(a) - rank(b) || (a >= ROWS) - (b >= ROWS) || (D.names[a] < D.names[b] ? -1 : 1));
	addPart(places.sort((a, b) => a.level - b.level || (a.path < b.path ? -1 : 1)), '?places', 0,
		node => visible.push({ node, level: 0, name: node.path }));
	addPart(found, '?', 0, i => visible.push({ i, level: 0, path: true }));
	if (!found.length && !places.length)
		return 'Nothing has \u201c' + view.query + '\u201d in its name' + (view.filter === 'all' ?
			'. It may be a macro, inlined, in a module that was not loaded, or spelt in another way' +
			(D.in ? ', or lie outside of ' + D.in : '') + '.' :
			' among the functions that are shown; \u201cAll\u201d may have it.');
	return plural(found.length, 'function') + (beyond ? ', of which ' + number(beyond) + ' cannot be traced' : '') +
		(places.length ? '; ' + plural(places.length, 'place') : '') + ' with \u201c' + view.query + '\u201d in the name';
}

/* ---------------------------------------------------------------- the table */

function marked(name) {
	const at = view.query ? name.toLowerCase().indexOf(view.query.toLowerCase()) : -1;
	const end = at + view.query.length;

	return at < 0 ? [name] : [name.slice(0, at), make('mark', name.slice(at, end)), name.slice(end)];
}

function besideOf(node, c) {
	const init = node.inits[c] ? number(node.init[c]) + ' of ' + number(node.inits[c]) + ' of init code' : '';
	const other = node.beside[c] - node.init[c];

	return [init, other ? plural(other, 'more function') + ' without a share: ' + (init ? '' : 'init code, ') +
		'of a module that came later, or of trace events' : ''].filter(Boolean).join('; ');
}

function nodeCells(row) {
	const node = row.node;
	const cells = [make('td.name', make('span.twisty', view.open.has(node.path) && !view.query ? '\u25be\u00a0' : '\u25b8\u00a0'),
			    ...marked(row.name), node.children.size ? '/' : null),
		       make('td.n', number(node.shown))];
	const text = c => [percent(node.seen[c], node.asked[c]) + ' \u00b7 ' + number(node.seen[c]) + ' of ' + number(node.asked[c]), besideOf(node, c)]
		.filter(Boolean).join('; ');

	if (FORM === 'heat')
		return [...cells, make('td.cell', strip(c => [shade(shareOf(node, c)), text(c)]))];
	return [...cells, ...D.columns.map((column, c) => FORM === 'bars' ?
		make('td.cell', { title: column.label + ': ' + text(c), 'aria-label': text(c) }, bar(node.seen[c], node.asked[c])) :
		make('td.cell', bar(node.seen[c], node.asked[c]), make('span.p', percent(node.seen[c], node.asked[c])), ' ',
		     make('span.of', { title: besideOf(node, c) }, number(node.seen[c]) + ' of ' + number(node.asked[c]) +
			  (node.beside[c] ? ' +' + number(node.beside[c]) : ''))))];
}

const classWords = { t: '', e: 'of a trace event', i: 'init', l: 'its module came later', u: 'not in the list of functions' };

// Of a function that is not in the table: why it cannot be traced, if that is the reason.
const untraced = i => D.words[D.reasons[i - ROWS]][1];

function why(i) {
	const word = D.words[D.reasons[i - ROWS]][0];

	return untraced(i) ? 'cannot be traced: ' + word : word ? 'outside of ' + D.in : 'not in the list of functions';
}

// What a column says of a function: a sign, a word, and a colour in a strip.
function stateOf(i, c) {
	const all = runs(c), some = seenRuns(i, c);

	return isSeen(i, c) ? ['\u25cf', all > 1 ? 'seen in ' + number(some) + ' of ' + number(all) + ' runs' : 'seen', shade(some / all)] :
		isProved(i, c) ? ['\u25d1', 'ran, as calls prove', shade(.5)] :
		isUnknown(i, c) ? ['\u25cc', 'perhaps inlined', shade(.2)] :
		isAsked(i, c) ? ['\u25cb', 'unseen', shade(0)] : ['\u2013', 'not traced', shade(-1)];
}

function functionCell(i, c) {
	const [sign, word] = stateOf(i, c), hit = D.columns[c].first.get(i), what = isSeen(i, c) ? 'td.cell.seen' : 'td.cell.dim';

	if (FORM === 'bars')
		return make(what, { title: D.columns[c].label + ': ' + word, 'aria-label': word }, make('b', sign));
	return make(what, isSeen(i, c) ? make('b', sign) : sign, ' ' + word,
		    hit && isSeen(i, c) ? make('span.of.time', ' \u00b7 first at ' + seconds(hit[1])) : null);
}

function functionCells(row) {
	const i = row.i;
	const tag = i >= ROWS ? why(i) : [classWords[D.classes[i]], module(i) && D.placed ? module(i) : ''].filter(Boolean).join(', ');
	const cells = [make('td.name', make('a', { href: '#f=' + encodeURIComponent(idOf[i]), tabindex: -1 }, ...marked(D.names[i])),
			    tag ? ' ' : null, tag ? make('span.tag', tag) : null,
			    row.path && file(i) ? make('div.dim.under', place(i)) : null),
		       make('td.n.dim', i < ROWS && D.lines[i] && !row.path ? ':' + D.lines[i] : '')];

	if (FORM === 'heat')
		return [...cells, make('td.cell', i < ROWS ? strip(c => [stateOf(i, c)[2], stateOf(i, c)[1]]) : '')];
	return [...cells, ...D.columns.map((column, c) => i < ROWS ? functionCell(i, c) : make('td.cell', ''))];
}

function heads() {
	const order = (text, sort, other) => make('button', { type: 'button', title: 'sort by this column', onclick: () => {
		view.sort = view.sort === sort ? other : sort;
		draw();
		remember();
	} }, text);
	const head = (what, text, sort, other) => make(what, { scope: 'col', ...(view.sort === sort ?
		{ 'aria-sort': sort === 'name' ? 'ascending' : 'descending' } : view.sort === other && other !== 'name' ? { 'aria-sort': 'ascending' } : {}) },
		order(text, sort, other));
	const row = make('tr', head('th', 'Name', 'name', 'name'), head('th.n', 'Functions', 'n', 'name'));

	if (FORM === 'heat') {
		const press = c => ({ type: 'button', 'aria-label': D.columns[c].label, ...(sortedBy() === c ? { 'aria-pressed': 'true' } : {}), onclick: () => {
			view.sort = view.sort === String(c) ? String(-1 - c) : String(c);
			draw();
			remember();
		} });

		row.append(make('th.cell', { scope: 'col' }, make('span', { id: 'at' }, said()),
				strip(c => [shade(shareOf(root, c)), percent(root.seen[c], root.asked[c])], 'button', press)));
	} else {
		row.append(...D.columns.map((column, c) => head('th.cell', column.label, String(c), String(-1 - c))));
	}
	$('table').tHead.replaceChildren(row);
}

// What stands above the strips, while the pointer is on none of them.
const said = () => D.columns[0].label + ' \u2026 ' + D.columns[COLUMNS - 1].label +
	(sortedBy() >= 0 ? '; sorted by ' + D.columns[sortedBy()].label : '');

function draw(keepFocus) {
	const body = $('table').tBodies[0];
	const fragment = document.createDocumentFragment();
	let said;

	visible = [];
	heads();
	if (view.query) {
		said = find();
	} else {
		addNode(root, 0);
		said = plural(root.shown, 'function') + (view.filter === 'all' ? '' : ' shown; shares are of all that were asked for');
	}
	visible.forEach((row, n) => {
		const chosen = row.i !== undefined && row.i === view.chosen;
		const tr = make('tr' + (chosen ? '.chosen' : ''), { role: 'row', tabindex: '-1', 'aria-level': row.level + 1,
				onclick: event => { if (!elsewhere(event)) act(n); }, onfocus: () => view.focus = n });

		if (row.node)
			tr.setAttribute('aria-expanded', !view.query && view.open.has(row.node.path));
		if (row.more !== undefined)
			tr.append(make('td.name', { colspan: FORM === 'heat' ? 3 : COLUMNS + 2 }, make('a', 'Show ' + number(row.left) + ' more')));
		else
			tr.append(...(row.node ? nodeCells(row) : functionCells(row)));
		tr.firstChild.style.setProperty('--level', row.level);
		fragment.append(tr);
	});
	body.replaceChildren(fragment);
	$('said').textContent = said;
	view.focus = Math.max(0, Math.min(view.focus, visible.length - 1));
	if (body.rows[view.focus])
		body.rows[view.focus].tabIndex = 0;
	if (keepFocus)
		focusRow(view.focus);
}

function focusRow(n) {
	const rows = $('table').tBodies[0].rows;

	if (!rows.length)
		return;
	n = Math.max(0, Math.min(n, rows.length - 1));
	if (rows[view.focus])
		rows[view.focus].tabIndex = -1;
	rows[n].tabIndex = 0;
	rows[n].focus();
}

// Is a click meant to open another tab? Otherwise the browser need not follow the link.
function elsewhere(event) {
	const other = event.ctrlKey || event.metaKey || event.shiftKey;

	if (!other)
		event.preventDefault();
	return other && event.target.closest('a');
}

function act(n) {
	const row = visible[n];

	view.focus = n;
	if (row.i !== undefined)
		return go(row.i, true);
	else if (row.more !== undefined)
		view.whole.add(row.more);
	else if (view.query)
		open(row.node);
	else
		view.open.has(row.node.path) ? view.open.delete(row.node.path) : view.open.add(row.node.path);
	draw(true);
	remember();
}

// Leaves a search for the tree, at that place.
function open(node) {
	for (let up = node; up && up !== root; up = up.parent)
		view.open.add(up.path);
	setQuery('');
	draw();
	view.focus = Math.max(0, visible.findIndex(row => row.node === node));
}

function setQuery(text) {
	view.query = text.trim();
	if ($('search').value.trim() !== view.query)
		$('search').value = view.query;
	view.whole.delete('?');
	view.whole.delete('?places');
	view.focus = 0;
}

/* ---------------------------------------------------------------- one function */

// What the address calls a function: its name and its file, and a number if it has namesakes there.
const idOf = [], ofId = new Map();
D.names.forEach((name, i) => {
	const id = name + (i < ROWS && D.units[unitOf[i]][0] ? '@' + D.units[unitOf[i]][0] : '');

	for (let n = 1; idOf[i] === undefined; n++) {
		const tried = n > 1 ? id + '~' + n : id;

		if (!ofId.has(tried))
			ofId.set(idOf[i] = tried, i);
	}
});

// Shows a function; -1: none. Back then leads to what was shown before.
function go(i, keepFocus) {
	i < 0 ? legend() : choose(i);
	draw(keepFocus);
	reveal();
	remember(true);
}

// Scrolls to the function's row unless it can be seen. On a phone, the answer lies over the lower part of the page.
function reveal() {
	const row = document.querySelector('tr.chosen'), answer = $('detail').getBoundingClientRect();
	const end = answer.height && answer.left < 1 ? answer.top : innerHeight, { top, bottom } = row ? row.getBoundingClientRect() : {};

	if (top < $('tools').getBoundingClientRect().bottom || bottom > end)
		row.scrollIntoView({ block: end < innerHeight ? 'start' : 'center' });
}

function link(i) {
	return make('a.name', { href: '#f=' + encodeURIComponent(idOf[i]), onclick: event => {
		if (!elsewhere(event))
			go(i);
	} }, D.names[i]);
}

// In which columns a call of a list was made.
function columnsOf(sites) {
	const which = D.columns.filter(column => sites.some(n => column.has[n]));

	return COLUMNS < 2 ? '' : ' \u00b7 ' + (FORM === 'heat' || COLUMNS > 2 && which.length === COLUMNS ? 'in ' + which.length + ' of ' + COLUMNS : which.map(column => column.label).join(', '));
}

function grouped(list, key) {
	const groups = new Map();

	for (const item of list) {
		const k = key(item);
		groups.has(k) ? groups.get(k).push(item) : groups.set(k, [item]);
	}
	return groups;
}

const offset = n => '+0x' + n.toString(16);

function callersOf(i) {
	const items = [...grouped(sitesTo.get(i) || [], n => site(n)[0])];

	items.sort((a, b) => D.names[a[0]] < D.names[b[0]] ? -1 : 1);
	return items.map(([from, sites]) => make('li', link(from), make('span.dim',
		' ' + [...new Set(sites.map(n => offset(site(n)[1])))].join(' ') + columnsOf(sites))));
}

function callsIn(i) {
	const items = [...grouped(sitesIn.get(i) || [], n => site(n)[1])].sort((a, b) => a[0] - b[0]);

	return items.map(([into, sites]) => {
		const to = Math.max(...sites.map(n => site(n)[2]));
		const way = to < 0 ? D.ways[-1 - to] : '';

		return make('li', make('span.n', offset(into)), to >= 0 || way ? ' \u2192 ' : null, to >= 0 ? link(to) : way,
			    make('span.dim', columnsOf(sites)));
	});
}

function list(title, items, none) {
	return [make('h3', title), items.length ? make('ul', ...items) : make('p.dim', none)];
}

// The text of the function; lines that ran and lines that did not have a colour.
function sourceView(source) {
	const [, , first, text, values] = source, of = new Map();
	const where = (value, mark) => D.columns.filter((column, c) => value[c] === mark).map(column => column.label);

	for (let n = 0, at = 0; n < values.length; n += 2)
		of.set(at += values[n], D.values[values[n + 1]]);
	return make('div.source', { tabindex: 0, 'aria-label': 'source' }, make('div', ...text.replace(/\n$/, '').split('\n').map((line, n) => {
		const value = of.get(n) || '', ran = where(value, '1'), not = where(value, '0');

		return make('span' + (ran.length ? '.ran' : not.length ? '.not' : ''), { 'data-line': first + n,
			...(value ? { title: [ran.length ? 'ran in ' + ran.join(', ') : '', not.length ? 'did not run in ' + not.join(', ') : '']
				.filter(Boolean).join('; ') } : {}) }, line);
	})));
}

// The place, with a link to the source if --source-url says where it is. 6.12.0 is v6.12 there, and 6.12.117-1-amd64 v6.12.117.
function placeOf(i) {
	const version = (D.kernel.release || '').replace(/^(\d+\.\d+)(?:\.0)?((?:\.[1-9]\d*)?(?:-rc\d+)?).*/, '$1$2');
	const parts = { v: encodeURIComponent(version), f: file(i) && file(i).split('/').map(encodeURIComponent).join('/'), l: D.lines[i] };

	if (!D.source_url || !place(i))
		return place(i);
	return make('a', { href: D.source_url.replace(/%([vfl])/g, (all, letter) => parts[letter]), target: '_blank', rel: 'noreferrer' }, place(i));
}

function columnState(i, c) {
	const column = D.columns[c], hit = column.first.get(i), [sign, word] = stateOf(i, c);

	if (!isSeen(i, c))
		return make('p', sign + ' ', verdictOf(i, c).replace(/^./, letter => letter.toUpperCase()), '.');
	return make('p.seen', make('b', sign), !hit ? ' ' + word.replace(/^./, letter => letter.toUpperCase()) : ' First call ' + since(column, hit[1]) + ', by ' +
		task(hit[3]) + ' on CPU ' + hit[2] + '; function no. ' + number(hit[4]) + ' to be seen');
}

// Of many columns: a strip, and which columns say the same.
function states(i) {
	const groups = grouped(D.columns.map((column, c) => c), c => isSeen(i, c) ? '\u25cf seen' : stateOf(i, c)[0] + ' ' + verdictOf(i, c));
	const label = c => D.columns[c].label + (runs(c) > 1 && isSeen(i, c) ? ' (' + seenRuns(i, c) + ' of ' + runs(c) + ' runs)' : '');
	const first = hit => hit ? make('span.dim', ' \u00b7 ' + seconds(hit[1]) + ', ' + task(hit[3]) + ', CPU ' + hit[2]) : null;

	return [make('h3', 'Seen in ' + seenBy[i] + ' of ' + COLUMNS), strip(c => [stateOf(i, c)[2], stateOf(i, c)[1]]),
		...[...groups].map(([what, which]) => make('details', which.length < 9 ? { open: '' } : null,
			make('summary', what + ': ' + which.length), FORM === 'heat' ? make('p.dim', which.map(label).join(', ')) :
				make('ul', ...which.map(c => make('li', label(c), first(D.columns[c].first.get(i)))))))];
}

function leave() {
	return make('button', { id: 'close', type: 'button', 'aria-label': 'Close', onclick: () => go(-1) }, '\u2715');
}

function choose(i) {
	const detail = $('detail'), parts = [leave(), make('h2', D.names[i])], source = i < ROWS && sourceOf.get(place(i));
	const owner = i < ROWS && D.units[unitOf[i]][3];

	view.chosen = i;
	if (i >= ROWS)
		parts.push(make('p', untraced(i) ? 'It cannot be traced: it ' + untraced(i) + '.' :
				D.words[D.reasons[i - ROWS]][0] ? 'It is outside of ' + D.in + ', so this page only has its calls to and from there.' :
				'It is not in the list of functions, so nothing else is known about it.'));
	else
		parts.push(make('p.dim', placeOf(i) || (module(i) ? null : 'its place in the source is not known'), module(i) && place(i) ? ' \u00b7 ' : null,
				module(i) ? 'module ' + module(i) : null, owner ? ' \u00b7 ' + owner : null, classWords[D.classes[i]] ? ' \u00b7 ' + classWords[D.classes[i]] : null));
	if (i < ROWS && COLUMNS > 2)
		parts.push(...states(i));
	else if (i < ROWS)
		D.columns.forEach((column, c) => parts.push(make('h3', column.label), columnState(i, c)));
	if (source)
		parts.push(make('h3', 'Source'), sourceView(source));
	if (i < ROWS || sitesTo.has(i))
		parts.push(...list('Called from', callersOf(i), D.edges ? 'No call of it is recorded: if it ran, code without a record led to it.' :
			'The recordings do not tell: most callers are only known with the vmlinux of that kernel.'));
	parts.push(...list(D.edges ? 'Calls in it that ran' : 'Calls in it that ran, by where they return to', callsIn(i), D.columns.some(c => c.filters.callers) ?
		   'None is recorded.' : 'Callers were not recorded (--no-callers).'));
	detail.replaceChildren(...parts);
	detail.classList.add('open');
	detail.scrollTop = 0;
}

function since(column, us) {
	return column.filters.scope === 'boot' ? seconds(us) + ' after the clock began' : seconds(us) + ' after recording began';
}

function legend() {
	const item = (term, text) => [make('dt', term), make('dd', text)];

	view.chosen = -1;
	$('detail').classList.remove('open');
	$('detail').replaceChildren(leave(), make('h3', 'How to read this page'),
		make('p', 'Each function' + (within || ' of the kernel') + ' that can be traced is here, by the source file that it was compiled from. A share is ' +
		     'how many functions were seen, of those that were asked for. Choose a function to see where it is, when it first ran and who called it.'),
		make('dl', ...item('\u25cf seen', 'it ran; only its first call is kept, however often it ran'),
		     ...item('\u25cb unseen', 'it was not called; a copy that is inlined elsewhere may have run'),
		     ...(provedBy.some(n => n) ? item('\u25d1 ran, as calls prove', 'it was not recorded, as it had been entered before, or is inlined') : []),
		     ...(unknownBy.some(n => n) ? item('\u25cc perhaps inlined', 'it is inlined into a function that ran, or that leaves no record') : []),
		     ...item('\u2013 not traced', 'it could not be seen; choose it to see why'),
		     ...(FORM === 'heat' ? [make('dt', strip(c => [shade(COLUMNS > 1 ? c / (COLUMNS - 1) : 1), ''])), make('dd',
			'a cell for each recording: grey is none, from orange (few) to blue (all); no colour: it could not be seen')] : []),
		     ...(D.sources ? [make('dt', make('span.source', make('span.ran', { 'data-line': '1' }, 'ran'))), make('dd', 'a line that ran: a function began, or a call was made'),
			make('dt', make('span.source', make('span.not', { 'data-line': '2' }, 'not'))), make('dd', 'a call that was not made; other lines are not known')] : []),
		     ...item('+12', 'seen, and part of no share: init code that is freed after boot, a module that was loaded later, or trace events')),
		make('h3', 'Keys'),
		make('dl', make('dt', make('kbd', '/')), make('dd', 'search; * and ? stand for any characters'),
		     make('dt', make('kbd', '\u2191'), ' ', make('kbd', '\u2193')), make('dd', 'from row to row'),
		     make('dt', make('kbd', '\u2192'), ' ', make('kbd', '\u2190')), make('dd', 'open and close'),
		     make('dt', make('kbd', 'Enter')), make('dd', 'open, or show the function here'),
		     make('dt', make('kbd', 'Esc')), make('dd', 'leave the search, or the function')),
		make('p', 'A click on a heading sorts. The address holds what is shown; each function has an address of its own.'));
}

/* ---------------------------------------------------------------- what was recorded */

const quoted = word => /^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'";
const command = column => column.command ? column.command.map(quoted).join(' ') : null;

function subject(column) {
	const f = column.filters;
	const whose = { system: 'the whole system', task: 'the command and what it started', boot: 'the boot',
			pid: 'process ' + f.pid + ' and what it started', several: 'some tasks, not the same in each run' }[f.scope];

	return whose + (f.cgroup ? ', only cgroup ' + f.cgroup : '') + (f.comm ? ', only tasks named ' + f.comm : '');
}

const endings = { command: 'the command ended', signal: 'a signal ended it', duration: 'its time limit was reached',
		  process: 'the process ended', reading: 'the record was read', merging: 'results were merged', not: 'written before the recording ended' };

function verdict(column) {
	const worst = column.losses.reduce((w, l) => Math.max(w, ['nothing', 'maybe', 'missing'].indexOf(l.means)), 0);
	const [what, text] = [['yes', '\u2714 Complete: nothing is missing'], ['maybe', '? Something may be missing'],
			      ['no', '\u2718 Not complete: something is missing']][worst];

	return [make('p.verdict.' + what, text), column.losses.length ? make('ul', ...column.losses.map(l =>
		make('li', make('code', l.name), ' ' + number(l.value), make('span.dim', ' \u00b7 ' + (l.text || 'this version does not know its meaning'))))) : null];
}

function curve(column) {
	const times = [...column.first.values()].map(hit => hit[1]), width = 150, height = 38;

	if (!column.timed || times.length < 2)
		return null;
	const begin = times[0], span = Math.max(1, times[times.length - 1] - begin);
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	const path = document.createElementNS(svg.namespaceURI, 'path');
	let d = 'M0 ' + height;

	for (let n = 0; n < times.length; n += Math.max(1, times.length >> 7))
		d += 'L' + (width * (times[n] - begin) / span).toFixed(1) + ' ' + (height - height * (n + 1) / times.length).toFixed(1);
	path.setAttribute('d', d + 'L' + width + ' 0');
	for (const [name, value] of Object.entries({ width: width + 2, height: height + 2, viewBox: `-1 -1 ${width + 2} ${height + 2}`,
						     role: 'img', 'aria-label': 'functions seen, over time' }))
		svg.setAttribute(name, value);
	const title = document.createElementNS(svg.namespaceURI, 'title');
	title.textContent = 'Functions seen, over time: half of them by ' + seconds(times[times.length >> 1]) +
		', the last one at ' + seconds(times[times.length - 1]);
	svg.append(title, path);
	return svg;
}

function recorded(column) {
	const f = column.filters, o = column.options, terms = [];
	const add = (term, text) => text && terms.push(make('dt', term), make('dd', text));

	add('Command', command(column));
	add('Engine', column.engine + (o.retire ? ', functions that are known are retired' : '') + (o.pin ? ', pinned' : ''));
	add('Began', column.started && column.started.replace('T', ' ').replace('Z', ' UTC'));
	add('Lasted', column.seconds.toFixed(2) + ' s, until ' + endings[column.ended] +
	    (column.status === null ? '' : ' with status ' + column.status));
	add('Machine', column.host);
	add('Callers', f.callers ? number(column.totals.callers) + ' places that called a function' +
	    (D.in ? ', in the whole kernel' : '') : 'not recorded');
	add('Only', f.allow.join(', '));
	add('Left out', f.deny.join(', '));
	add('Excluded', f.denied_by_hytrace.join(', '));
	add('Modules', column.modules.map(m => m.name + (m.came ? ' (came)' : '') + (m.went ? ' (went)' : '')).join(', '));
	add('Merged', column.merged && plural(column.merged.length, 'result'));
	add('Kernel', column.kernel.version);
	add('Booted with', column.kernel.cmdline);
	return make('details', make('summary', 'How it was recorded'), make('dl', ...terms));
}

function card(column, c) {
	const known = root.asked[c], what = command(column);

	return make('div.card', make('h2', column.label),
		make('p.dim', subject(column), what ? ', during ' : null, what ? make('code', what) : null),
		make('div.top', make('div', make('span.share', known ? percent(root.seen[c], known) : number(root.beside[c])),
				     make('div', known ? number(root.seen[c]) + ' of ' + number(known) + ' functions' + within :
					  'functions seen' + within + '; of how many is not known')), curve(column)),
		bar(root.seen[c], known),
		root.inits[c] ? make('p.dim', 'Init code: ' + number(root.init[c]) + ' of ' + number(root.inits[c]) + ' (' +
				     percent(root.init[c], root.inits[c]) + ')') : null,
		known && root.beside[c] > root.init[c] ? make('p.dim', 'and ' + number(root.beside[c] - root.init[c]) + ' without a share: ' +
			[root.unknown[c] ? 'not in the list of functions' : '', root.inits[c] ? '' : 'init code', 'modules that came later, or trace events']
			.filter(Boolean).join(', ')) : null,
		...verdict(column), recorded(column));
}

// The share over time, of columns that began at different times.
function trend() {
	const points = D.columns.map((column, c) => ({ c, at: Date.parse(column.started), share: shareOf(root, c) })).filter(p => p.at && p.share >= 0)
		.sort((a, b) => a.at - b.at);
	const shares = points.map(p => p.share), low = Math.min(...shares), high = Math.max(...shares), width = 600, height = 40;
	const x = p => width * (p.at - points[0].at) / (points[points.length - 1].at - points[0].at);
	const y = p => height * (high > low ? (high - p.share) / (high - low) : .5);
	const draw = (tag, attributes, ...rest) => {
		const element = document.createElementNS('http://www.w3.org/2000/svg', tag);

		Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
		element.append(...rest);
		return element;
	};

	if (points.length < 3 || points[points.length - 1].at - points[0].at < 1000)
		return null;
	return make('div.trend', draw('svg', { viewBox: `-4 -4 ${width + 8} ${height + 8}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': 'the share over time' },
		     draw('path', { d: 'M' + points.map(p => x(p).toFixed(1) + ' ' + y(p).toFixed(1)).join('L'), 'vector-effect': 'non-scaling-stroke' }),
		     ...points.map(p => draw('path', { d: `M${x(p).toFixed(1)} ${y(p).toFixed(1)}h0`, 'vector-effect': 'non-scaling-stroke',
			class: 'point' }, draw('title', {}, D.columns[p.c].label + ', ' +
			D.columns[p.c].started.slice(0, 16).replace('T', ' ') + ': ' + percent(root.seen[p.c], root.asked[p.c]))))),
		make('p.dim', 'Share over time, ' + D.columns[points[0].c].started.slice(0, 10) + ' to ' + D.columns[points[points.length - 1].c].started.slice(0, 10) +
		     ': from ' + (100 * low).toFixed(1) + ' to ' + (100 * high).toFixed(1) + '\u00a0%'));
}

// What all columns have in common, from three on.
function overall() {
	const tested = Array.from({ length: ROWS }, (_, i) => i).filter(i => D.columns.some((column, c) => counts(i, c)));
	const any = tested.filter(i => seenBy[i]).length, lacking = D.columns.filter(column => column.losses.some(l => l.means !== 'nothing'));
	const all = D.columns.reduce((sum, column, c) => sum + runs(c), 0);

	return make('div.card.all', make('h2', all > COLUMNS ? number(all) + ' runs in ' + COLUMNS + ' groups' : COLUMNS + ' recordings'),
		make('div.top', make('div', make('span.share', percent(any, tested.length)), make('div', number(any) + ' of ' + number(tested.length) +
			' functions' + within + ' were seen in any, ' + number(tested.filter(inAll).length) + ' in all')), trend()), bar(any, tested.length),
		make('p.verdict.' + (lacking.length ? 'maybe' : 'yes'), lacking.length ? '? ' + lacking.length + ' of ' + COLUMNS + ' may lack something' :
		     '\u2714 All are complete'), lacking.length ? make('p.dim', lacking.slice(0, 20).map(column => column.label).join(', ') +
								       (lacking.length > 20 ? ', \u2026' : '')) : null);
}

function cards() {
	const each = D.columns.map(card);

	if (COLUMNS > 2)
		$('cards').append(overall());
	if (FORM === 'heat')
		$('cards').append(make('details', make('summary', 'Each recording'), make('div.cards', ...each)));
	else
		$('cards').append(...each);
	$('cards').classList.toggle('many', FORM === 'heat');
}

/* ---------------------------------------------------------------- all of it */

// The address of the page tells what is shown, so that it can be sent to somebody.
function remember(push) {
	const hash = new URLSearchParams();

	if (view.query)
		hash.set('q', view.query);
	if (view.filter !== 'all')
		hash.set('show', view.filter);
	if (view.sort !== 'name')
		hash.set('sort', view.sort);
	if (view.chosen >= 0)
		hash.set('f', idOf[view.chosen]);
	[...view.open].filter(path => nodes.has(path)).forEach(path => hash.append('in', path));
	if (location.hash.slice(1) !== hash.toString())
		push ? history.pushState(null, '', '#' + hash) : history.replaceState(null, '', '#' + hash);
}

function recall() {
	const hash = new URLSearchParams(location.hash.slice(1));
	const f = hash.get('f'), i = !f ? -1 : ofId.has(f) ? ofId.get(f) : D.names.indexOf(f);

	setQuery(hash.get('q') || '');
	view.filter = filters.some(f => f[0] === hash.get('show')) ? hash.get('show') : 'all';
	view.sort = /^(n|-?\d+)$/.test(hash.get('sort')) ? hash.get('sort') : 'name';
	if (sortedBy() >= COLUMNS)
		view.sort = 'name';
	view.open = new Set();
	// The address of a function alone opens its place in the tree.
	for (const path of hash.has('in') || view.query || i < 0 || i >= ROWS ? hash.getAll('in') : [pathOf(i)])
		for (let node = nodes.get(path); node && node !== root; node = node.parent)
			view.open.add(node.path);
	i >= 0 ? choose(i) : legend();
	refilter();
	reveal();
}

function refilter() {
	for (const button of $('filters').children)
		button.setAttribute('aria-pressed', button.value === view.filter);
	count();
	draw();
}

function keys(event) {
	const row = visible[view.focus], inTable = $('table').tBodies[0].contains(document.activeElement);

	if (event.key === '/' && document.activeElement !== $('search')) {
		$('search').focus();
		$('search').select();
	} else if (event.key === 'Escape' && view.query) {
		setQuery('');
		draw();
		remember();
	} else if (event.key === 'Escape' && $('detail').classList.contains('open')) {
		go(-1, inTable);
	} else if (document.activeElement === $('search') && event.key === 'ArrowDown') {
		focusRow(0);
	} else if (!inTable || !row || event.ctrlKey || event.altKey || event.metaKey) {
		return;
	} else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
		focusRow(view.focus + (event.key === 'ArrowDown' ? 1 : -1));
	} else if (event.key === 'Home' || event.key === 'End') {
		focusRow(event.key === 'Home' ? 0 : visible.length - 1);
	} else if (event.key === 'Enter' || event.key === ' ') {
		act(view.focus);
	} else if (event.key === 'ArrowRight' && row.node && !view.open.has(row.node.path)) {
		act(view.focus);
	} else if (event.key === 'ArrowLeft' && row.node && view.open.has(row.node.path) && !view.query) {
		act(view.focus);
	} else if (event.key === 'ArrowLeft') {
		let n = view.focus;

		while (n > 0 && visible[n].level >= row.level)
			n--;
		focusRow(n);
	} else {
		return;
	}
	event.preventDefault();
}

function start() {
	let waiting;

	$('title').textContent += within;
	document.title = 'Kernel functions that ran' + within + ': ' + D.columns.map(column => column.label).join(', ');
	$('kernel').textContent = ['Linux ' + D.kernel.release, D.kernel.arch, D.kernel.build_id ?
				   'build ' + D.kernel.build_id.slice(0, 12) : null, 'hytrace ' + D.hytrace].filter(Boolean).join(' \u00b7 ');
	$('table').classList.add(FORM);
	$('table').style.setProperty('--columns', COLUMNS);
	document.querySelector('main').classList.toggle('sourced', !!D.sources);
	cards();
	for (const [id, text, test, title] of filters) {
		let n = 0;

		for (let i = 0; i < ROWS; i++)
			n += !!test(i);
		$('filters').append(make('button', { type: 'button', value: id, title, onclick: () => {
			view.filter = id;
			refilter();
			remember();
		} }, text + ' ', make('span.n.dim', number(n))));
	}
	$('help').addEventListener('click', () => {
		go(-1);
		$('detail').classList.add('open');
	});
	$('table').addEventListener('mouseover', event => {
		if (FORM === 'heat')
			$('at').textContent = event.target.parentNode.className === 'strip' ? event.target.title : said();
	});
	$('search').addEventListener('input', () => {
		clearTimeout(waiting);
		waiting = setTimeout(() => { setQuery($('search').value); draw(); remember(); }, 60);
	});
	document.addEventListener('keydown', keys);
	addEventListener('popstate', recall);
	recall();
}

start();
