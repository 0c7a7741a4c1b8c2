// Definitions of JavaScript and TypeScript files as the TypeScript compiler sees them, one JSON line per file.
// usage: node typescript_api.mjs FOLDER_WITH_NODE_MODULES < list-of-files
// A record: [kind, name, line, end line, parent name or null, raw doc comment or null].
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.argv[2] + "/");
const ts = require("typescript");
const SYNTAX = ts.SyntaxKind;
const KINDS = new Map([
  [SYNTAX.FunctionDeclaration, "function"],
  [SYNTAX.ClassDeclaration, "class"],
  [SYNTAX.MethodDeclaration, "method"],
  [SYNTAX.Constructor, "method"],
  [SYNTAX.GetAccessor, "method"],
  [SYNTAX.SetAccessor, "method"],
  [SYNTAX.InterfaceDeclaration, "interface"],
  [SYNTAX.EnumDeclaration, "enum"],
  [SYNTAX.TypeAliasDeclaration, "type"],
  [SYNTAX.ModuleDeclaration, "namespace"],
]);
const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
const isBound = (node) =>
  (ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) &&
  node.initializer && (isFunction(node.initializer) || ts.isClassExpression(node.initializer));

function kindOf(node) {
  if (isBound(node)) {
    if (ts.isClassExpression(node.initializer)) return "class";
    return ts.isPropertyDeclaration(node) ? "method" : "function";
  }
  return KINDS.get(node.kind);
}

function nameOf(node, file) {
  if (ts.isConstructorDeclaration(node)) return "constructor";
  if (!node.name) return "default";
  const text = node.name.getText(file);
  return ts.isStringLiteral(node.name) ? text.slice(1, -1) : text;
}

function startOf(node, file) {
  const decorators = (ts.canHaveDecorators(node) && ts.getDecorators(node)) || [];
  if (!decorators.length) return node.getStart(file);
  const rest = (node.modifiers || []).filter((m) => !ts.isDecorator(m));
  const after = decorators[decorators.length - 1].end;
  if (rest.length) return rest[0].getStart(file);
  return ts.skipTrivia(file.text, after);
}

function docOf(node, file) {
  let owner = node;
  if (ts.isVariableDeclaration(node)) {
    if (node.parent.declarations[0] !== node) return null;
    owner = node.parent.parent;
  }
  const docs = owner.jsDoc;
  return docs && docs.length ? file.text.slice(docs[docs.length - 1].pos, docs[docs.length - 1].end) : null;
}

function records(path) {
  const text = readFileSync(path, "utf8");
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found = [];
  const starts = [0];
  for (let i = 0; i < text.length; i++) if (text[i] === "\n") starts.push(i + 1);
  const lineAt = (at) => {
    let low = 0, high = starts.length - 1;
    while (low < high) { const mid = (low + high + 1) >> 1; if (starts[mid] <= at) low = mid; else high = mid - 1; }
    return low + 1;
  };
  const stack = [[file, null]];
  while (stack.length) {
    const [node, parent] = stack.pop();
    let inner = parent;
    const kind = kindOf(node);
    if (kind) {
      const name = nameOf(node, file);
      found.push([kind, name, lineAt(startOf(node, file)), lineAt(node.end - 1), parent, docOf(node, file)]);
      inner = name;
    }
    ts.forEachChild(node, (child) => { stack.push([child, inner]); });
  }
  return { path, errors: file.parseDiagnostics.length, records: found };
}

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  console.log(JSON.stringify(records(path)));
}
