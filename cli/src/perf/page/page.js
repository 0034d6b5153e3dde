'use strict';
// Makes the page interactive: sorted tables, values under the mouse, lines that can be switched off.
{
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  document.body.classList.add('script');

  const byLetters = (a, b) => a.localeCompare(b);
  // Numbers by value; "none" and the like behind them.
  const byValue = (a, b) => {
    const [one, other] = [a, b].map(parseFloat).map((value) => (Number.isNaN(value) ? Infinity : value));
    return one === other ? 0 : one - other;
  };
  for (const table of all('table').filter((table) => table.tBodies[0].rows.length > 1)) {
    const heads = all('th', table);
    heads.forEach((head, column) => {
      const compare = head.classList.contains('words') ? byLetters : byValue;
      const button = document.createElement('button');
      button.type = 'button';
      button.append(head.textContent);
      head.replaceChildren(button);
      button.addEventListener('click', () => {
        const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
        heads.forEach((other) => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
        const [body] = table.tBodies;
        const text = (row) => row.cells[column].textContent;
        body.append(...[...body.rows].sort((a, b) => sign * compare(text(a), text(b))));
      });
    });
  }

  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;
  document.body.append(tip);
  // In units of the picture: how far from a point the mouse may be, and how far from it other points count.
  const REACH = 30;
  const TOGETHER = 6;
  for (const svg of all('figure svg')) {
    const hints = all('.hint', svg).map((circle) => {
      const [x, y, radius] = ['cx', 'cy', 'r'].map((name) => Number(circle.getAttribute(name)));
      const title = circle.firstElementChild;
      title.remove();
      return { circle, x, y, reach: Math.max(radius, REACH), text: title.textContent };
    });
    const show = (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const distance = (hint, from = at) => Math.hypot(hint.x - from.x, hint.y - from.y);
      const near = hints.filter((hint) => distance(hint) < hint.reach && !hint.circle.closest('.off'));
      near.sort((a, b) => distance(a) - distance(b));
      const shown = near.filter((hint) => distance(hint, near[0]) < TOGETHER);
      hints.forEach((hint) => hint.circle.classList.toggle('near', hint === near[0]));
      tip.hidden = shown.length === 0;
      tip.textContent = shown.map((hint) => hint.text).join('\n\n');
      // Not beyond the edges of the window.
      const left = Math.min(event.clientX + 16, document.documentElement.clientWidth - tip.offsetWidth - 8);
      const top = Math.min(event.clientY + 16, document.documentElement.clientHeight - tip.offsetHeight - 8);
      tip.style.left = `${left}px`;
      tip.style.top = `${top}px`;
    };
    const hide = () => {
      tip.hidden = true;
      hints.forEach((hint) => hint.circle.classList.remove('near'));
    };
    svg.addEventListener('pointermove', show);
    svg.addEventListener('pointerdown', show);
    svg.addEventListener('pointerleave', hide);
  }

  // What a key of the legend switches: its line, or the spreads of a row.
  const keys = all('.key');
  for (const key of keys) {
    const owner = key.parentElement;
    // Between the letters, too.
    const { x, y, width, height } = key.getBBox();
    const room = document.createElementNS(key.namespaceURI, 'rect');
    const attributes = { x, y, width, height, fill: 'none', 'pointer-events': 'all' };
    Object.entries(attributes).forEach(([name, value]) => room.setAttribute(name, value));
    key.append(room);
    key.setAttribute('role', 'switch');
    key.setAttribute('tabindex', '0');
    const toggle = () => key.setAttribute('aria-checked', String(!owner.classList.toggle('off')));
    key.setAttribute('aria-checked', 'true');
    key.addEventListener('click', toggle);
    key.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        toggle();
      }
    });
  }

  const save = document.createElement('a');
  save.textContent = 'Save as JSON';
  save.download = 'anyccl-perf.json';
  const { textContent } = document.getElementById('report');
  save.href = URL.createObjectURL(new Blob([textContent], { type: 'application/json' }));
  const remark = document.createElement('p');
  if (keys.length) remark.append('A click on a name in the legend hides or shows what it names. ');
  remark.append(save);
  document.querySelector('main').append(remark);
}
