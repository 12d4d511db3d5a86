/** The search of the documentation: the index is loaded when the field is first used. */
import MiniSearch from 'minisearch';
import { SEARCH } from './searchOptions.js';

const field = document.getElementById('search');
const list = document.getElementById('found');
const { root } = field.dataset;
let index;

async function load() {
  const response = await fetch(new URL(`${root}search.json`, document.baseURI));
  if (!response.ok) throw new Error(`cannot load the index: ${response.status}`);
  return MiniSearch.loadJSON(await response.text(), SEARCH);
}

function entry({ id, title, page, kind }) {
  const link = document.createElement('a');
  link.href = root + id.split('#').map(encodeURI).join('#');
  link.textContent = title === page ? title : `${page}: ${title}`;
  const what = document.createElement('small');
  what.textContent = kind;
  const item = document.createElement('li');
  item.append(link, ' ', what);
  return item;
}

async function show() {
  const words = field.value.trim();
  index ??= load();
  const found = words ? (await index).search(words).slice(0, 12) : [];
  if (field.value.trim() !== words) return;
  const none = Object.assign(document.createElement('li'), { textContent: 'Nothing found' });
  list.replaceChildren(...(found.length ? found.map(entry) : [none]));
  list.dataset.words = words;
  list.hidden = !words;
}

field.oninput = () => void show();
field.onfocus = () => void (index ??= load());

/** Arrow keys go through the results, Escape ends the search. */
function move(event) {
  const links = [field, ...list.querySelectorAll('a')];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    links[Math.min(Math.max(links.indexOf(document.activeElement) + step, 0), links.length - 1)].focus();
  } else if (event.key === 'Escape') {
    list.hidden = true;
  } else if (event.key === 'Enter' && document.activeElement === field) {
    links[1]?.click();
  }
}
field.parentElement.onkeydown = move;
addEventListener('keydown', (event) => {
  if (event.key !== '/' || document.activeElement === field) return;
  event.preventDefault();
  field.focus();
});
