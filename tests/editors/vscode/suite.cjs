// Runs inside the extension host. Each test opens what it needs and asks as the editor's own commands do.
const vscode = require('vscode');

// `languages` is first: its first test expects that no server runs yet.
const SUBJECTS = ['languages', 'diagnostics', 'documentation', 'editing', 'evaluation', 'server', 'inline_asm', 'debugging'];
const tests = Object.assign({}, ...SUBJECTS.map((subject) => require(`./suite/${subject}.cjs`)));

exports.run = async function run() {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`ok - ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`not ok - ${name}: ${error.stack}`);
    }
  }
  console.log(`finished: ${Object.keys(tests).length - failed} of ${Object.keys(tests).length} in VS Code ${vscode.version}`);
  if (failed > 0) throw new Error(`${failed} failed`);
};
