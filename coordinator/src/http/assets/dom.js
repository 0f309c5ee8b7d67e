// Building elements and keeping them up to date. Text is always set as text: names of workers
// and messages come from the network and are never read as HTML.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element with a class, holding text or other elements. */
export function element(tag, className = "", ...content) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...content);
  return node;
}

/** An SVG element with attributes. */
export function svg(tag, attributes = {}, ...content) {
  const node = document.createElementNS(SVG, tag);
  setAttributes(node, attributes);
  node.append(...content);
  return node;
}

/** Sets attributes; untouched ones cost no redrawing. */
export function setAttributes(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

/** Sets an element's text, if it has changed. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Makes the children of an element follow a list: each item has one child, known by its key,
 * which is made once, then updated, and put in the order of the list.
 */
export function follow(parent, items, keyOf, make, update) {
  const old = new Map();
  for (const child of parent.children) old.set(child.dataset.key, child);
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = String(keyOf(item));
    let child = old.get(key);
    if (child) {
      old.delete(key);
    } else {
      child = make(item);
      child.dataset.key = key;
    }
    update(child, item);
    if (child === place) {
      place = place.nextElementSibling;
    } else {
      parent.insertBefore(child, place);
    }
  }
  for (const child of old.values()) child.remove();
}
