// Updates the lists of targets, versions, rules and colours in the manifest:
//   npm run manifest            writes package.json
//   npm run manifest -- --check fails if package.json is outdated
// The lists come from ptx-atomics.schema.json, which a test of the server keeps up to date.
import { readFile, writeFile } from 'node:fs/promises';

const manifestFile = new URL('../package.json', import.meta.url);
const schemaFile = new URL('../../ptx-atomics.schema.json', import.meta.url);
const before = await readFile(manifestFile, 'utf8');
const manifest = JSON.parse(before);
const schema = JSON.parse(await readFile(schemaFile, 'utf8')).properties;
const settings = manifest.contributes.configuration.properties;

function choices(setting, directive, values) {
  const property = settings[`ptxAtomics.${setting}`];
  property.enum = ['', ...values];
  property.enumItemLabels = [`.${directive} of the module`, ...values];
  property.enumDescriptions = [
    `Use the \`.${directive}\` of each module.`,
    ...values.map((value) => `Check for \`.${directive} ${value}\`.`),
  ];
}
choices('target', 'target', schema.target.enum);
choices('ptxVersion', 'version', schema['ptx-version'].enum);
settings['ptxAtomics.targets'].items = { type: 'string', enum: schema.target.enum };
settings['ptxAtomics.rules'].properties = schema.rules.properties;
for (const list of ['enable', 'disable']) {
  const { enum: codes } = schema[list].items;
  settings[`ptxAtomics.${list}`].items = {
    type: 'string',
    enum: codes,
    enumDescriptions: codes.map((code) => schema.rules.properties[code].description),
  };
}

const after = JSON.stringify(manifest, null, 2) + '\n';
if (after !== before) {
  if (process.argv.includes('--check')) {
    console.error('package.json is out of date: npm run manifest in editors/vscode, or the test with PTX_ATOMICS_UPDATE=1');
    process.exit(1);
  }
  await writeFile(manifestFile, after);
}
