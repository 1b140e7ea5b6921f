// The page's data, its colours and how its numbers are written. The three scripts are one scope: they stand together in one function.

const root = document.documentElement;
const page = JSON.parse(document.getElementById('page-data').textContent);
const charts = [];

// ---- colours

const css = name => getComputedStyle(root).getPropertyValue(name).trim();

const family = name =>
  /^sluice/i.test(name) ? 'cool' : /^(\.net|bcl|system\.io|filestream|streamreader|streamwriter|file\.)/i.test(name) ? 'warm' : 'plain';

// Sluice is always in cool colours, .NET in warm ones, whatever else a chart shows.
function colourNames(series) {
  const used = { cool: 0, warm: 0, plain: 0 };
  return series.map(s => {
    const own = family(s.name);
    return `--${own}-${used[own]++ % 4}`;
  });
}

function storedTheme() {
  try { return localStorage.getItem('sluice-theme'); } catch { return null; }
}

const prefersDark = matchMedia('(prefers-color-scheme: dark)');

function applyTheme(theme) {
  root.dataset.theme = theme;
  const button = document.querySelector('.theme');
  if (button) button.textContent = theme === 'dark' ? 'Light' : 'Dark';
  for (const chart of charts) chart.redraw(false, false);
}

const wantedTheme = () => storedTheme() ?? (prefersDark.matches ? 'dark' : 'light');

// ---- numbers

const sizeNames = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function formatSize(bytes) {
  let unit = 0;
  while (Math.abs(bytes) >= 1024 && unit < sizeNames.length - 1) {
    bytes /= 1024;
    unit++;
  }
  return `${+bytes.toFixed(bytes < 10 ? 2 : 1)} ${sizeNames[unit]}`;
}

function formatNumber(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${+(value / 1e6).toFixed(size < 1e7 ? 2 : 1)} M`;
  if (size >= 1000) return Math.round(value).toLocaleString('en');
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

const formatTick = value => (Math.abs(value) >= 1e6 ? formatNumber(value) : (+value.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 }));
const format = (axis, value) => (axis.unit === 'B' ? formatSize(value) : formatNumber(value));
const withUnit = (axis, value) => format(axis, value) + (axis.unit && axis.unit !== 'B' ? ` ${axis.unit}` : '');
const axisLabel = axis => (axis.unit && axis.unit !== 'B' ? `${axis.label}, ${axis.unit}` : axis.label);
