// Calls and imports of a project as the TypeScript language service sees them (findReferences), one JSON object.
// usage: node typescript_references.mjs FOLDER_WITH_NODE_MODULES ROOT < list-of-files-relative-to-ROOT
// A kind is a syntax kind, or "value" for what is not written as a function or class.
// {"calls": [[file, line, name, id]], "definitions": {id: [file, line, line of its name]}, "kinds": {id: kind},
//  "imports": [[file, line, specifier, target file]]}; a call is a call, `new`, a JSX element or a tagged template.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";

const require = createRequire(process.argv[2] + "/");
const ts = require("typescript");
const root = path.resolve(process.argv[3]);
const names = readFileSync(0, "utf8").split("\n").filter(Boolean).map((name) => path.join(root, name));
const own = new Set(names);
const S = ts.SyntaxKind;

// A package that imports itself by its name means its sources, as its own tsconfig.json (which is not shipped) says.
const manifest = path.join(root, "package.json");
const self = ts.sys.fileExists(manifest) ? JSON.parse(ts.sys.readFile(manifest)).name : undefined;
const paths = self ? { [self]: ["./src/index"], [`${self}/*`]: ["./src/*"] } : {};
const options = {
  paths, pathsBasePath: root,
  allowJs: true, checkJs: true, noEmit: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler, jsx: ts.JsxEmit.Preserve, esModuleInterop: true,
  allowImportingTsExtensions: true, experimentalDecorators: true, skipLibCheck: true, strict: true, types: [],
};
const host = {
  getScriptFileNames: () => names,
  getScriptVersion: () => "1",
  getScriptSnapshot: (f) => (ts.sys.fileExists(f) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(f)) : undefined),
  getCurrentDirectory: () => root,
  getCompilationSettings: () => options,
  getDefaultLibFileName: (o) => ts.getDefaultLibFilePath(o),
  fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists, getDirectories: ts.sys.getDirectories,
};
const service = ts.createLanguageService(host, ts.createDocumentRegistry());
const program = service.getProgram();
const relative = (file) => path.relative(root, file).split(path.sep).join("/");
const lineOf = (file, at) => file.getLineAndCharacterOfPosition(at).line + 1;

const isFunction = (n) => n && (ts.isArrowFunction(n) || ts.isFunctionExpression(n) || ts.isClassExpression(n));
function definition(node) {
  if ((ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) && node.name) return [node, node.name];
  if (ts.isMethodDeclaration(node) || ts.isGetAccessor(node)) return [node, node.name];
  if (ts.isFunctionExpression(node) && node.name) return [node, node.name];
  if ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node) || ts.isPropertyAssignment(node)) && node.initializer)
    return ts.isIdentifier(node.name) || ts.isPrivateIdentifier(node.name) ? [node, node.name] : undefined;
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === S.EqualsToken && isFunction(node.right) &&
      ts.isPropertyAccessExpression(node.left)) return [node, node.left.name];
  return undefined;
}
function calledName(node) {
  let callee;
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) callee = node.expression;
  else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) callee = node.tagName;
  else if (ts.isTaggedTemplateExpression(node)) callee = node.tag;
  else return undefined;
  while (ts.isParenthesizedExpression(callee) || ts.isNonNullExpression(callee) || ts.isAsExpression(callee)) callee = callee.expression;
  if (ts.isIdentifier(callee)) return callee;
  if (ts.isPropertyAccessExpression(callee)) return callee.name;
  return undefined;
}

const sites = new Map();  // "file:start" of a called name -> [file, line, name]
const found = [];
const imports = [];
// Members that only pass a definition on (`{ f }`, `{ a: f }`, `exports.f = f`): calls through them are calls of it.
const passing = [];
const checker = program.getTypeChecker();
function passed(node) {
  if (ts.isShorthandPropertyAssignment(node)) return [node.name, checker.getShorthandAssignmentValueSymbol(node)];
  if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.initializer)) return [node.name, checker.getSymbolAtLocation(node.initializer)];
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === S.EqualsToken && ts.isPropertyAccessExpression(node.left) &&
      ts.isIdentifier(node.right)) return [node.left.name, checker.getSymbolAtLocation(node.right)];
  if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) return [node.name, checker.getSymbolAtLocation(node.name)];
  return [];
}
function declaredBy(symbol) {
  let declared;
  for (let i = 0; i < 6 && symbol; i++) {
    if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
    const next = symbol.declarations?.[0];
    if (!next || next === declared) break;
    declared = next;
    const further = passed(ts.isPropertyAccessExpression(declared) ? declared.parent : declared)[1];
    if (!further || ts.isBindingElement(declared)) break;
    symbol = further;
  }
  return declared;
}
for (const name of names) {
  const file = program.getSourceFile(name);
  if (!file) continue;
  const stack = [file];
  while (stack.length) {
    const node = stack.pop();
    const called = calledName(node);
    if (called) {
      const at = called.getStart(file);
      if (!(called.text === "require" && ts.isCallExpression(node)))
        sites.set(`${name}:${at}`, [relative(name), lineOf(file, at), called.text]);
    }
    const made = definition(node);
    if (made) {
      const decorators = (ts.canHaveDecorators(node) && ts.getDecorators(node)) || [];
      const start = decorators.length ? ts.skipTrivia(file.text, decorators[decorators.length - 1].end) : node.getStart(file);
      const bound = !node.initializer || isFunction(node.initializer);
      const kind = bound ? S[node.kind] : "value";
      found.push([name, made[1].getStart(file), [relative(name), lineOf(file, start), lineOf(file, made[1].getStart(file))], kind]);
    }
    const [member, symbol] = passed(node);
    const declared = declaredBy(symbol);
    if (declared?.name && own.has(declared.getSourceFile().fileName))
      passing.push([name, member.getStart(file), `${declared.getSourceFile().fileName}:${declared.name.getStart()}`]);
    let specifier;
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) specifier = node.moduleSpecifier;
    else if (ts.isExternalModuleReference(node)) specifier = node.expression;
    else if (ts.isCallExpression(node) && node.arguments.length &&
      (node.expression.kind === S.ImportKeyword || (ts.isIdentifier(node.expression) && node.expression.text === "require"))) specifier = node.arguments[0];
    if (specifier && ts.isStringLiteral(specifier)) {
      const resolved = ts.resolveModuleName(specifier.text, name, options, ts.sys).resolvedModule;
      if (resolved && own.has(resolved.resolvedFileName))
        imports.push([relative(name), lineOf(file, specifier.getStart(file)), specifier.text, relative(resolved.resolvedFileName)]);
    }
    ts.forEachChild(node, (child) => { stack.push(child); });
  }
}

const calls = [], definitions = {}, kinds = {};
const done = new Map();
for (const [file, at, place, kind] of found) {
  const key = `${file}:${at}`;
  if (done.has(key)) continue;
  let groups;
  try { groups = service.findReferences(file, at) || []; } catch { continue; }
  // Groups of other definitions are overridden or implemented members; those of aliases are imports of this one.
  const mine = groups.filter((g) => g.definition.kind === "alias" || (g.definition.fileName === file && g.definition.textSpan.start === at) ||
    g.references.some((r) => r.isDefinition && r.fileName === file && r.textSpan.start === at));
  const id = String(done.size);
  done.set(key, id);
  const seen = new Set();
  for (const group of mine) for (const reference of group.references) {
    const site = `${reference.fileName}:${reference.textSpan.start}`;
    if (sites.has(site) && !seen.has(site)) { seen.add(site); calls.push([...sites.get(site), id]); }
  }
  definitions[id] = place;
  kinds[id] = kind;
}
for (const [file, at, key] of passing) {
  if (!done.has(key)) continue;
  let groups;
  try { groups = service.findReferences(file, at) || []; } catch { continue; }
  for (const group of groups) for (const reference of group.references) {
    const site = `${reference.fileName}:${reference.textSpan.start}`;
    if (sites.has(site)) calls.push([...sites.get(site), done.get(key)]);
  }
}
console.log(JSON.stringify({ calls, definitions, kinds, imports }));
