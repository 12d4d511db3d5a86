/** The page of the executions panel: a picture that fills the pane, a slider over the executions, and zoom. */
export interface Execution {
  outcome: string;
  claimed: boolean;
  forbidden: string | null;
  /** Whether it refutes the kernel. */
  problem: boolean;
  svg: string;
  text: string;
}

export interface Executions {
  name: string;
  summary: string;
  range: { start: { line: number }; end: { line: number } };
  decisive: number;
  executions: Execution[];
}

/** A picture as the source of an image, so that nothing in it can run. */
export const imageOf = (svg: string): string => `data:image/svg+xml;base64,${btoa(Array.from(new TextEncoder().encode(svg), (byte) => String.fromCharCode(byte)).join(''))}`;

export const verdictOf = (one: Execution): string => (one.problem ? 'problem' : one.forbidden === null ? 'allowed' : `forbidden by ${one.forbidden}`);

const STYLE = `
  html, body { height: 100%; margin: 0 }
  body { display: flex; flex-direction: column; box-sizing: border-box; padding: 10px 12px; font-family: var(--vscode-font-family) }
  header, #verdicts { display: flex; flex-wrap: wrap; gap: 6px 10px; align-items: center; margin-bottom: 8px }
  #slider { flex: 1; min-width: 80px; accent-color: var(--vscode-focusBorder) }
  button { font: inherit; border: 0; border-radius: 3px; padding: 3px 9px; cursor: pointer;
    color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground) }
  button:hover { background: var(--vscode-button-secondaryHoverBackground) }
  #verdict { font-weight: bold }
  #verdict.allowed { color: var(--vscode-charts-green) } #verdict.forbidden, #verdict.problem { color: var(--vscode-charts-red) }
  #outcome { font-family: var(--vscode-editor-font-family); font-weight: bold }
  #view { flex: 1 1 60%; min-height: 200px; overflow: auto }
  #picture { display: block; margin: auto; max-width: none; max-height: none; border-radius: 4px }
  body.vscode-dark #picture, body.vscode-high-contrast:not(.vscode-high-contrast-light) #picture { filter: invert(0.88) hue-rotate(180deg) }
  #text { flex: 0 1 auto; max-height: 35%; overflow: auto; margin: 8px 0 0; white-space: pre-wrap; font-family: var(--vscode-editor-font-family) }
`;

const SCRIPT = `
  const api = acquireVsCodeApi();
  const part = (id) => document.getElementById(id);
  const [slider, view, picture] = ['slider', 'view', 'picture'].map(part);
  const before = api.getState();
  const last = found.executions.length - 1;
  let at = 0;
  // A factor of the natural size; null fits the picture into the pane.
  let zoom = before ? before.zoom : null;

  // The smallest readable size; a larger picture scrolls.
  const fitting = () => Math.max(Math.min(view.clientWidth / picture.naturalWidth, view.clientHeight / picture.naturalHeight, 2.5), 0.7);
  function resize() {
    if (!picture.naturalWidth) return;
    const factor = zoom === null ? fitting() : zoom;
    picture.style.width = Math.floor(picture.naturalWidth * factor) + 'px';
    part('size').textContent = Math.round(factor * 100) + ' %';
  }
  const keep = () => api.setState({ name: found.name, outcome: found.executions[at].outcome, zoom });
  function scale(step) {
    zoom = step === 0 ? null : Math.min(Math.max((zoom === null ? fitting() : zoom) * step, 0.2), 6);
    resize();
    keep();
  }
  function show(wanted) {
    at = Math.min(Math.max(wanted, 0), last);
    const one = found.executions[at];
    if (!one) return;
    slider.value = String(at);
    part('count').textContent = (at + 1) + ' of ' + found.executions.length;
    part('outcome').textContent = one.outcome;
    part('claimed').textContent = one.claimed ? '(named in the claim)' : '';
    part('verdict').textContent = one.verdict;
    part('verdict').className = one.problem ? 'problem' : one.forbidden === null ? 'allowed' : 'forbidden';
    picture.src = one.svg;
    picture.alt = one.outcome;
    part('text').textContent = one.text;
    keep();
  }
  slider.max = String(last);
  part('summary').textContent = found.summary;
  slider.addEventListener('input', () => show(Number(slider.value)));
  part('previous').addEventListener('click', () => show(at - 1));
  part('next').addEventListener('click', () => show(at + 1));
  part('smaller').addEventListener('click', () => scale(1 / 1.25));
  part('larger').addEventListener('click', () => scale(1.25));
  part('fit').addEventListener('click', () => scale(0));
  picture.addEventListener('load', resize);
  addEventListener('resize', resize);
  view.addEventListener('wheel', (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    scale(event.deltaY < 0 ? 1.1 : 1 / 1.1);
  }, { passive: false });
  const same = before && before.name === found.name ? found.executions.findIndex((one) => one.outcome === before.outcome) : -1;
  show(same >= 0 ? same : found.decisive);
`;

export function page(found: Executions): string {
  const nonce = crypto.randomUUID();
  const list = found.executions.map((one) => ({ ...one, svg: imageOf(one.svg), verdict: verdictOf(one) }));
  const data = JSON.stringify({ ...found, executions: list }).replace(/</g, '\\u003c');
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'">
<style nonce="${nonce}">${STYLE}</style></head><body>
<header>
  <span id="summary"></span>
  <button id="previous" title="Previous execution">&#x25C0;</button>
  <input id="slider" type="range" min="0" aria-label="Execution">
  <button id="next" title="Next execution">&#x25B6;</button>
  <span id="count"></span>
  <button id="smaller" title="Zoom out">&#x2212;</button><span id="size"></span><button id="larger" title="Zoom in">+</button>
  <button id="fit" title="Fit to the pane">Fit</button>
</header>
<div id="verdicts"><span id="outcome"></span> <span id="claimed"></span> <span id="verdict"></span></div>
<div id="view"><img id="picture" alt=""></div>
<pre id="text"></pre>
<script nonce="${nonce}">const found = ${data};${SCRIPT}</script></body></html>`;
}
