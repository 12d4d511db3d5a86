/** The executions of a litmus test: its outcomes to choose from, and the picture of one. */

const verdictOf = ({ forbidden, problem }) => (problem ? 'problem' : forbidden ? `forbidden: ${forbidden}` : 'allowed');

/** The class of what is said: a problem has the colour of what is forbidden. */
const classOf = ({ forbidden, problem }) => (problem || forbidden ? 'forbidden' : 'allowed');

function element(name, text, className = '') {
  const made = document.createElement(name);
  made.textContent = text;
  made.className = className;
  return made;
}

/** The picture as an image, so that nothing in it can run. */
function picture({ svg, outcome }) {
  const image = document.createElement('img');
  image.className = 'execution';
  image.alt = `Execution with ${outcome}`;
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  return image;
}

export function showExecutions(parent, found) {
  if (!found) {
    parent.replaceChildren(element('p', 'No litmus test that can be read; see the diagnostics.', 'note'));
    return;
  }
  const summary = element('p', `${found.name}: ${found.summary}`, 'summary');
  const outcomes = element('div', '', 'outcomes');
  outcomes.setAttribute('role', 'group');
  outcomes.setAttribute('aria-label', 'Outcomes');
  const shown = element('div', '', 'shown');
  const choose = (at) => {
    const one = found.executions[at];
    const text = element('pre', one.text);
    shown.replaceChildren(element('p', `${one.outcome}, ${verdictOf(one)}`, `verdict ${classOf(one)}`), picture(one), text);
    for (const [index, button] of [...outcomes.children].entries()) button.setAttribute('aria-pressed', String(index === at));
  };
  for (const [at, one] of found.executions.entries()) {
    const button = element('button', `${classOf(one) === 'forbidden' ? '✗' : '✓'} ${one.outcome}`, classOf(one));
    button.title = verdictOf(one);
    button.onclick = () => choose(at);
    outcomes.append(button);
  }
  parent.replaceChildren(summary, outcomes, shown);
  if (found.executions.length) choose(Math.max(0, Math.min(found.decisive, found.executions.length - 1)));
}
