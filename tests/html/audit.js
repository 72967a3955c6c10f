// What is wrong with a page, as sentences: the basics of an accessibility checker, and whether anything sticks out.
(() => {
  const wrong = [];
  const say = (what, element) => wrong.push(what + ": " + (element.outerHTML || "").slice(0, 160));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const width = document.documentElement.clientWidth;

  // Nothing sticks out, and nothing is cut off at an edge.
  if (document.documentElement.scrollWidth > width) say("the page is wider than its window", document.body);
  for (const element of all("body *")) {
    if (element.closest(".unseen, .skip") || element.ownerSVGElement) continue;
    const box = element.getBoundingClientRect();
    if (box.width && (box.right > width + 0.5 || box.left < -0.5)) say("sticks out", element);
    if (element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== "inline" && element.tagName !== "svg")
      say("its content is wider than it is", element);
  }

  // Landmarks, headings, language.
  for (const [name, selector] of Object.entries({ main: "main", banner: "body > header", contentinfo: "body > footer", h1: "h1", title: "head > title" }))
    if (all(selector).length !== 1) say("not exactly one " + name, document.body);
  if (!/^(ja|en)$/.test(document.documentElement.lang)) say("no language", document.documentElement);
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const its = Number(heading.tagName[1]);
    if (its > level + 1) say("a heading is skipped before", heading);
    if (!heading.textContent.trim()) say("an empty heading", heading);
    level = its;
  }
  for (const section of all("section")) {
    const name = document.getElementById(section.getAttribute("aria-labelledby"));
    if (!name || !section.contains(name) || name.tagName !== "H2") say("a section without a heading of its own", section);
  }

  // Names and alternatives.
  const ids = all("[id]").map((element) => element.id);
  for (const id of ids) if (ids.filter((other) => other === id).length > 1) wrong.push("an id that is there twice: " + id);
  for (const drawing of all("svg")) {
    if (drawing.ownerSVGElement || drawing.getAttribute("aria-hidden") === "true") continue;
    if (drawing.getAttribute("role") !== "img") say("a drawing that is no image to a screen reader", drawing);
    const parts = (drawing.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id));
    const kinds = parts.map((part) => (part && part.textContent.trim() ? part.tagName : "")).join(" ");
    if (kinds !== "title desc") say("a drawing without title and description", drawing);
  }
  for (const table of all("table")) {
    if (!table.caption || !table.caption.textContent.trim()) say("a table without a caption", table);
    for (const head of table.querySelectorAll("th")) if (!head.scope) say("a table head without scope", head);
  }
  for (const list of all("ul, ol")) for (const child of list.children) if (child.tagName !== "LI") say("a list holds something else", list);
  for (const details of all("details")) if (!details.querySelector(":scope > summary")) say("details without a summary", details);
  for (const element of all("[tabindex], [style], [onclick], [onload], [onerror], script, iframe, object, embed, form, img"))
    say("does not belong here", element);
  for (const element of all("time")) if (!/^\d{4}-\d\d-\d\d/.test(element.dateTime)) say("a time without its instant", element);

  // Contrast of every text with what is behind it, by WCAG's formula.
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\d.]+/g).map(Number).map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const color = getComputedStyle(one).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)") return color;
    }
    return "rgb(255, 255, 255)";
  };
  for (const element of all("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || /^(title|desc|style)$/.test(element.tagName) || element.closest(".unseen, .skip")) continue;
    const style = getComputedStyle(element);
    const front = luminance(element.tagName === "text" ? style.fill : style.color), back = luminance(behind(element));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) say("contrast " + ratio.toFixed(2), element);
    if (parseFloat(style.fontSize) < 11) say("letters of " + style.fontSize, element);
  }
  return [...new Set(wrong)].slice(0, 20);
})()
