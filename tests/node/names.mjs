/* What scripts ask of a browser, as JSON: for each file the error of a parser of ECMAScript 2021, or the names of members
   and globals that it uses, less those that it looks for before it uses them. Files are given as arguments. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [modules, ...paths] = process.argv.slice(2);
const { parse } = createRequire(`${modules}/`)("acorn");

function children(node) {
  return Object.values(node).flat().filter((value) => value && typeof value.type === "string");
}

/* Names that a test names: `x.name ? …`, `if (!x.name)`, `x.name && …`, `x.name?.()`, `"name" in x`. */
function looked(node, found) {
  if (!node) return;
  if (node.type === "MemberExpression" && !node.computed) found.add(node.property.name);
  if (node.type === "Identifier") found.add(node.name);
  if (node.type === "BinaryExpression" && node.operator === "in") found.add(node.left.value);
  if (["UnaryExpression", "LogicalExpression", "ChainExpression"].includes(node.type)) children(node).forEach((child) => looked(child, found));
}

function names(text, sourceType) {
  const used = new Set();
  const tested = new Set();
  const visit = (node) => {
    if (node.type === "MemberExpression" && !node.computed) {
      used.add(node.object.type === "Identifier" ? `${node.object.name}.${node.property.name}` : `.${node.property.name}`);
      if (node.optional) looked(node.object, tested);
    }
    if (node.type === "Identifier") used.add(node.name);
    if (node.type === "CallExpression" && node.optional) looked(node.callee, tested);
    if (["IfStatement", "ConditionalExpression"].includes(node.type)) looked(node.test, tested);
    if (node.type === "LogicalExpression") looked(node.left, tested);
    children(node).forEach(visit);
  };
  visit(parse(text, { ecmaVersion: 2021, sourceType }));
  return { used: [...used].filter((name) => !tested.has(name.replace(/^.*\./, ""))) };
}

const answers = {};
for (const path of paths) {
  const text = readFileSync(path, "utf8");
  try {
    answers[path] = names(text, /^(import|export) /m.test(text) ? "module" : "script");
  } catch (fault) {
    if (!(fault instanceof SyntaxError)) throw fault;
    answers[path] = { fault: fault.message };
  }
}
process.stdout.write(JSON.stringify(answers));
