// Tabs, as the ARIA practices have them: arrow keys choose, one is reached by tab.

let tabCount = 0;

/** Make tabs of `[name, makePanel]`; a panel is made when it is first looked at. */
function tabs(label, pages) {
  const own = "tabs" + tabCount++;
  const buttons = pages.map(([name], index) =>
    h("button", { type: "button", role: "tab", id: own + "-" + index,
      "aria-controls": own + "-panel", click: () => choose(index) }, name));
  const panel = h("div", { role: "tabpanel", id: own + "-panel", tabindex: "0" });
  const made = new Map();
  function choose(index, focus = false) {
    buttons.forEach((button, each) => {
      button.setAttribute("aria-selected", String(each === index));
      button.setAttribute("tabindex", each === index ? "0" : "-1");
    });
    if (!made.has(index)) made.set(index, pages[index][1]());
    panel.replaceChildren(made.get(index));
    panel.setAttribute("aria-labelledby", buttons[index].id);
    if (focus) buttons[index].focus();
  }
  const list = h("div", { role: "tablist", "aria-label": label, keydown: (event) => {
    const now = buttons.indexOf(document.activeElement);
    const next = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    choose((next + buttons.length) % buttons.length, true);
  } }, buttons);
  choose(0);
  return h("section", { class: "tabs" }, list, panel);
}
