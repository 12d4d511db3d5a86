/** The link that carries a text: language, options and text, deflated, in the URL's fragment. Nothing is sent anywhere. */

async function through(bytes, transform) {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function linkTo(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream('deflate-raw'));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return `#${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** What a fragment carries; `null` if it is none of ours. */
export async function stateOf(fragment) {
  if (fragment.length < 2) return null;
  try {
    const text = atob(fragment.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(await through(bytes, new DecompressionStream('deflate-raw'))));
  } catch {
    return null;
  }
}
