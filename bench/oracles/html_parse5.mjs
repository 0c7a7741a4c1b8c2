// Elements with an id or a custom name as the HTML5 parser parse5 sees them, one JSON line per file.
// usage: node html_parse5.mjs FOLDER_WITH_NODE_MODULES < list-of-files
// A record: [tag, id or null, line of the start tag, line where the element ends].
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { parse } = await import(pathToFileURL(process.argv[2] + "/node_modules/parse5/dist/index.js"));

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const root = parse(readFileSync(path, "utf8"), { sourceCodeLocationInfo: true, scriptingEnabled: false });
  const records = new Map();
  const stack = [root];
  while (stack.length) {
    const node = stack.pop();
    const place = node.sourceCodeLocation;
    const start = place && (place.startTag || place);
    const id = (node.attrs || []).find((a) => a.name === "id" && !a.namespace);
    const custom = node.tagName && node.tagName.includes("-") && node.namespaceURI === "http://www.w3.org/1999/xhtml";
    if (node.tagName && start && ((id && id.value.trim()) || custom)) {
      // One element only: misnested formatting elements are copied into several places of the tree.
      records.set(start.startOffset, [node.tagName, id ? id.value.trim() : null, start.startLine, place.endLine]);
    }
    stack.push(...(node.childNodes || []), ...(node.content ? [node.content] : []));
  }
  console.log(JSON.stringify({ path, records: [...records.values()] }));
}
