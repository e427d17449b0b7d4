"use strict";
// Text and elements. All that comes from a run becomes text, never markup.

/** Make an element; `attributes` with a function are listeners, true is "present". */
function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== false && value !== null && value !== undefined)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null));
  return element;
}

/** Show control characters and lone surrogates as escapes, as transcripts do. */
function printable(text) {
  return String(text).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g,
    (char) => "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

/** Return the file and the name of a node id; of anything else, that twice. */
function parted(group) {
  const at = group.indexOf("::");
  return at < 0 ? [group, group] : [group.slice(0, at), group.slice(at + 2)];
}

function firstLine(text) {
  return printable(text).split("\n", 1)[0];
}

/** Return a text as children, with `<mark>` around what is looked for. */
function marked(text, needle) {
  if (!needle) return [text];
  const found = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(needle); at >= 0; at = lower.indexOf(needle, from)) {
    found.push(text.slice(from, at), h("mark", {}, text.slice(at, at + needle.length)));
    from = at + needle.length;
  }
  found.push(text.slice(from));
  return found;
}

/** Return a sentence as children, with what stands in backticks as code. */
function coded(text) {
  return printable(text).split(/(`+)(?!`)(.+?)(?<!`)\1(?!`)/s).map((part, index) =>
    index % 3 === 0 ? part : index % 3 === 2 ? h("code", {}, part.replace(/^ (.*[^ ].*) $/s, "$1")) : null);
}

/** Return the least of any number of numbers, infinity of none. */
function least(numbers) {
  return [...numbers].reduce((found, each) => Math.min(found, each), Infinity);
}

function seconds(us, digits = 6) {
  return (us / 1e6).toFixed(digits) + " s";
}

/** Return a span of host time for people. */
function duration(s) {
  if (s < 1) return Math.round(s * 1000) + " ms";
  if (s < 100) return s.toFixed(1) + " s";
  return Math.floor(s / 60) + " min " + Math.round(s % 60) + " s";
}

function bytes(count) {
  if (count < 1000) return count + " B";
  return count < 1e6 ? (count / 1e3).toFixed(1) + " kB" : (count / 1e6).toFixed(1) + " MB";
}

function number(value) {
  if (typeof value !== "number") return printable(value);
  return Number.isInteger(value) ? String(value) : String(+value.toPrecision(6));
}

/** Return a table with a caption and named columns; `rows` are lists of children. */
function table(caption, head, rows, attributes = {}) {
  return h(
    "table",
    attributes,
    h("caption", {}, caption),
    h("thead", {}, h("tr", {}, head.map((name) => h("th", { scope: "col" }, name)))),
    h(
      "tbody",
      {},
      rows.map(([first, ...others]) =>
        h("tr", {}, h("th", { scope: "row" }, first), others.map((cell) => h("td", {}, cell))),
      ),
    ),
  );
}

/** Show these children, without those that are null, in the place of all others. */
function show(host, ...children) {
  host.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
}
