// What the pages of the site do besides what Doxygen's scripts do.

// Doxygen stores the widths of tree and outline at each change of the window, also those of a narrow one. Here they are stored only
// when a reader drags an edge, and a changed window begins from them. At first both have TREEVIEW_WIDTH of the Doxyfile.
const TREE_WIDTH = 220;
const EDGE = 6;
const store = Cookie.writeSetting;
Cookie.writeSetting = function (name, ...rest) {
  if (!["width", "pagenav"].includes(name) || document.body.classList.contains("resizing")) store.call(this, name, ...rest);
};
window.addEventListener("resize", () => {
  const tree = document.getElementById("side-nav");
  const outline = document.getElementById("page-nav");
  if (tree) tree.style.width = `${Number(Cookie.readSetting("width", TREE_WIDTH)) + EDGE}px`;
  if (outline) outline.style.width = `${Cookie.readSetting("pagenav", TREE_WIDTH)}px`;
});

// A narrow window shows the tree of pages only while the button is on. style.css says what is narrow.
document.addEventListener("DOMContentLoaded", () => {
  const button = document.createElement("button");
  button.id = "tree-button";
  button.type = "button";
  button.textContent = "Contents";
  button.setAttribute("aria-controls", "nav-tree");
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    const shown = document.body.classList.toggle("tree-shown");
    button.setAttribute("aria-expanded", String(shown));
  });
  document.getElementById("top")?.append(button);
});
