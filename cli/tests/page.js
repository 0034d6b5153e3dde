'use strict';
// Uses the page as a reader does, and leaves what it has seen as JSON in an element with the name "seen".
{
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const table = all('table').at(-1);
  const head = (name) => all('th', table).find((head) => head.textContent === name);
  const column = (name) => {
    const at = all('th', table).indexOf(head(name));
    return [...table.tBodies[0].rows].map((row) => row.cells[at].textContent);
  };
  const sorted = (name) => {
    head(name).firstElementChild.click();
    return column(name);
  };
  const key = document.querySelector('.series > .key');
  const marks = key.parentElement.querySelector('.marks');
  const isShown = () => getComputedStyle(marks).display !== 'none';
  const click = () => {
    key.dispatchEvent(new MouseEvent('click'));
    return [isShown(), key.getAttribute('aria-checked')];
  };
  const tip = document.querySelector('.tip');
  const move = (x, y) => {
    const [clientX, clientY] = [x, y];
    document.querySelector('figure svg').dispatchEvent(new PointerEvent('pointermove', { clientX, clientY }));
    return tip.hidden ? null : tip.textContent;
  };
  const { left, top, width, height } = marks.querySelector('.hint').getBoundingClientRect();
  const seen = {
    bytes: [sorted('bytes'), sorted('bytes')],
    algorithms: sorted('algorithm'),
    tip: [move(left + width / 2, top + height / 2), move(0, 0)],
    switched: [click(), click()],
    saved: document.querySelector('a[download]').protocol,
  };
  const element = document.createElement('pre');
  element.id = 'seen';
  element.textContent = JSON.stringify(seen);
  document.body.append(element);
}
