// Rules, at-rules with a block and custom properties as PostCSS sees them, one JSON line per file.
// usage: node css_postcss.mjs FOLDER_WITH_NODE_MODULES < list-of-files
// A record: [kind, name, line, end line].
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";

const require = createRequire(process.argv[2] + "/");
const postcss = require("postcss");
const WRAPPERS = /^(media|supports|container|layer|scope|starting-style|document|-moz-document)$/i;
const plain = (text) => text.replace(/\/\*[^]*?\*\//g, " ").replace(/\s+/g, " ").trim();

for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const records = [];
  let error = null;
  try {
    const root = postcss.parse(readFileSync(path, "utf8"));
    root.walk((node) => {
      const inKeyframes = node.parent && node.parent.type === "atrule" && /keyframes$/i.test(node.parent.name);
      const { start, end } = node.source;
      if (node.type === "rule" && !inKeyframes) {
        const selector = node.raws.selector ? node.raws.selector.raw : node.selector;
        records.push(["rule", plain(selector), start.line, end ? end.line : start.line]);
      } else if (node.type === "atrule" && node.nodes && !WRAPPERS.test(node.name)) {
        const params = node.raws.params ? node.raws.params.raw : node.params;
        records.push(["rule", plain("@" + node.name + (node.raws.afterName || "") + params), start.line, end.line]);
      } else if (node.type === "decl" && node.prop.startsWith("--")) {
        records.push(["property", node.prop, start.line, end ? end.line : start.line]);
      }
    });
  } catch (problem) {
    error = String(problem);
  }
  console.log(JSON.stringify({ path, error, records }));
}
