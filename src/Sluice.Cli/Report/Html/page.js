// Sorts tables, switches between light and dark, starts the charts, and gets the page ready for paper.

// ---- tables

function sortBy(table, th) {
  const column = th.cellIndex;
  const order = th.getAttribute('aria-sort') === (th.classList.contains('num') ? 'descending' : 'ascending')
    ? (th.classList.contains('num') ? 'ascending' : 'descending')
    : (th.classList.contains('num') ? 'descending' : 'ascending');
  for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
  th.setAttribute('aria-sort', order);
  const sign = order === 'ascending' ? 1 : -1;
  const isNumber = th.classList.contains('num');
  const key = row => {
    const cell = row.cells[column];
    if (!cell) return null;
    if (isNumber) return cell.dataset.value === undefined ? null : Number(cell.dataset.value);
    return cell.textContent.trim() || null;
  };
  const rows = [...table.tBodies[0].rows].map(row => ({ row, key: key(row) }));
  rows.sort((a, b) => {
    // What has no value stays last either way.
    if (a.key === null || b.key === null) return (a.key === null) - (b.key === null);
    return sign * (isNumber ? a.key - b.key : a.key.localeCompare(b.key, 'en', { numeric: true }));
  });
  table.tBodies[0].append(...rows.map(r => r.row));
}

for (const table of document.querySelectorAll('table.data'))
  for (const th of table.tHead.rows[0].cells)
    th.querySelector('button')?.addEventListener('click', () => sortBy(table, th));

// A table that is wider than its place says so.
for (const scroll of document.querySelectorAll('.scroll'))
  new ResizeObserver(() => scroll.classList.toggle('cut', scroll.scrollWidth > scroll.clientWidth + 1)).observe(scroll);

// ---- start, theme, print

applyTheme(wantedTheme());
prefersDark.addEventListener('change', () => applyTheme(wantedTheme()));
document.querySelector('.theme').addEventListener('click', () => {
  const theme = root.dataset.theme === 'dark' ? 'light' : 'dark';
  try { localStorage.setItem('sluice-theme', theme); } catch { /* a page from disk may have no storage */ }
  applyTheme(theme);
});

if (window.uPlot) {
  for (const holder of document.querySelectorAll('.plot')) {
    const [section, chart] = holder.dataset.chart.split('.').map(Number);
    drawChart(holder, page.sections[section].charts[chart]);
  }
}

// As wide as a sheet with a wide table becomes.
const printWidth = 960;
addEventListener('beforeprint', () => {
  applyTheme('light');
  for (const chart of charts) chart.setSize({ width: printWidth, height: chart.height });
});
addEventListener('afterprint', () => {
  applyTheme(wantedTheme());
  for (const chart of charts) chart.setSize({ width: chart.root.parentElement.clientWidth, height: chart.height });
});

window.sluiceCharts = charts;
