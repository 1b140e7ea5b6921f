// Draws the charts with uPlot. Without it the page is still complete.

const font = size => `${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif`;
const measure = document.createElement('canvas').getContext('2d');

function textWidth(text, size) {
  measure.font = font(size);
  return measure.measureText(text).width;
}

// In the middle: names of rows often differ in their ends only.
function shorten(text, width) {
  if (textWidth(text, 12) <= width) return text;
  const keep = count => {
    const tail = Math.floor(count / 3);
    return text.slice(0, count - tail) + '…' + text.slice(text.length - tail);
  };
  let count = text.length - 1;
  while (count > 4 && textWidth(keep(count), 12) > width) count--;
  return keep(count);
}

// Of numbers along a line that would meet, the rounder ones stay.
function thinned(u, scale, splits, texts) {
  const places = splits.map(v => u.valToPos(v, scale)), halves = texts.map(t => textWidth(t, 12) / 2 + 3);
  const rank = v => {
    const found = [1, 2, 5].indexOf(+(v / 10 ** Math.floor(Math.log10(v) + 1e-9)).toPrecision(6));
    return found < 0 ? 3 : found;
  };
  const kept = [];
  for (const i of splits.map((_, i) => i).sort((a, b) => rank(splits[a]) - rank(splits[b])))
    if (kept.every(k => Math.abs(places[k] - places[i]) >= halves[k] + halves[i])) kept.push(i);
  return texts.map((text, i) => (kept.includes(i) ? text : ''));
}

// Steps of an axis of whole numbers: there is no cycle 1.2.
const wholeSteps = Array.from({ length: 15 }, (_, i) => [1, 2, 5].map(n => n * 10 ** i)).flat();

// One table for each series, then all on one X: uPlot wants that.
function columnsOf(chart) {
  const tables = [];
  const columns = [];
  const positive = (isLog, values) => values.map(v => (v !== null && isLog && v <= 0 ? null : v));
  for (const series of chart.series) {
    const xs = series.x.length > 0 ? series.x : series.y.map((_, i) => i);
    const order = xs.map((_, i) => i).filter(i => !chart.x.isLog || xs[i] > 0).sort((a, b) => xs[a] - xs[b]);
    const pick = values => order.map(i => values[i] ?? null);
    const own = { value: columns.length + 1 };
    const table = [order.map(i => xs[i]), positive(chart.y.isLog, pick(series.y))];
    columns.push(own);
    if (series.low && series.high) {
      own.low = columns.length + 1;
      columns.push(null);
      own.high = columns.length + 1;
      columns.push(null);
      table.push(positive(chart.y.isLog, pick(series.low)), positive(chart.y.isLog, pick(series.high)));
    }
    tables.push(table);
  }
  return { data: tables.length === 1 ? tables[0] : uPlot.join(tables), places: columns.filter(c => c !== null) };
}

const phoneWidth = 560;
const nameHeight = 18;

function isHorizontal(chart, width) {
  const names = chart.x.categories;
  return chart.kind === 'Bar' && names && (names.length > 8 || names.some(n => n.length > 16)
    || (width < phoneWidth && names.some(n => textWidth(n, 12) > (width - 80) / names.length - 6)));
}

// Names along a line: as many as do not meet, the first and the last among them.
function apart(names, room) {
  const step = room / Math.max(1, names.length - 1);
  const kept = [];
  names.forEach((name, i) => {
    const half = textWidth(name, 12) / 2 + 4;
    while (kept.length > 0 && i * step - half < kept.at(-1).end) {
      if (i < names.length - 1 || kept.length === 1) return;
      kept.pop();
    }
    kept.push({ i, end: i * step + half });
  });
  const shown = new Set(kept.map(k => k.i));
  return names.map((name, i) => (shown.has(i) ? name : ''));
}

function drawChart(holder, chart) {
  const { data, places } = columnsOf(chart);
  const names = chart.x.categories;
  const isBar = chart.kind === 'Bar';
  const flat = isHorizontal(chart, holder.clientWidth);
  // On a phone a row's name stands above its bars: beside them there is room for neither.
  const namesAbove = () => flat && names && holder.clientWidth < phoneWidth;
  const colours = colourNames(chart.series);
  const colour = i => css(colours[i]);
  const shown = chart.series.map(() => true);
  const onReference = isBar && chart.reference && chart.y.isLog;
  const base = onReference ? chart.reference.y : chart.y.isLog ? undefined : 0;
  const judged = isBar && chart.series.length === 1 && chart.reference;
  const count = data[0].length;
  // Each category has a bar of one series only: the bars need no room for the others.
  const exclusive = isBar && data[0].every((_, at) => places.filter(p => data[p.value][at] != null).length <= 1);
  const families = isBar && !judged && chart.series.length === 1 && names && names.every(n => family(n) !== 'plain') ? names.map(family) : null;

  function barColour(i, at) {
    if (families) return `--${families[data[0][at]]}-0`;
    if (!judged) return colours[i];
    const value = data[1][at];
    return (chart.y.lessIsBetter ? value <= chart.reference.y : value >= chart.reference.y) ? colours[i] : '--warm-1';
  }

  // Pale: what the bar says is within the noise.
  function barFill(i, at) {
    const place = places[i];
    const unclear = judged && place.low && data[place.low][at] != null && data[place.low][at] <= chart.reference.y && data[place.high][at] >= chart.reference.y;
    return css(barColour(i, at)) + (unclear ? '70' : '');
  }

  // The group of a category shares the room among the bars that are on.
  function barPlace(index) {
    const visible = shown.flatMap((on, i) => (on ? [i] : []));
    const bars = exclusive ? 1 : Math.max(1, visible.length);
    const room = flat ? 40 : Math.max(200, holder.clientWidth - 100) / count;
    const taken = namesAbove() ? nameHeight / rowHeight() : 0;
    const width = Math.min(0.78 * (1 - taken) / bars, 90 / room);
    return { width, offset: taken / 2 - width * bars / 2 + (exclusive ? 0 : Math.max(0, visible.indexOf(index)) * width) };
  }

  function barPaths(index) {
    return uPlot.paths.bars({
      size: [1, Infinity, 2],
      radius: 0,
      disp: {
        x0: { unit: 1, values: u => u.data[0].map(x => x + barPlace(index).offset) },
        size: { unit: 1, values: () => [barPlace(index).width * (barPlace(index).width > 0.2 ? 0.94 : 1)] },
        ...(judged || families ? {
          fill: { unit: 3, values: u => u.data[1].map((y, at) => (y === null ? null : barFill(index, at))) },
        } : {}),
      },
    });
  }

  const seriesOptions = [{}];
  const bands = [];
  chart.series.forEach((series, i) => {
    const place = places[i];
    seriesOptions[place.value] = {
      label: series.name,
      scale: 'y',
      width: isBar ? 0 : 2,
      stroke: () => colour(i),
      fill: isBar ? () => colour(i) : undefined,
      paths: isBar ? barPaths(i) : undefined,
      fillTo: base === undefined ? undefined : () => base,
      points: { show: !isBar && count <= 80, size: 6, width: 1.5, fill: () => css('--paper') },
    };
    if (place.low) {
      for (const edge of [place.low, place.high])
        seriesOptions[edge] = { label: `${series.name} range`, scale: 'y', width: 0, stroke: 'transparent', points: { show: false }, paths: isBar ? () => null : undefined };
      if (!isBar) bands.push({ series: [place.high, place.low], fill: () => colour(i) + '2e' });
    }
  });

  function yRange(u, min, max) {
    const ends = [min, max, chart.reference?.y].filter(v => v !== null && v !== undefined && Number.isFinite(v));
    if (ends.length === 0) return chart.y.isLog ? [1, 10] : [0, 1];
    const low = Math.min(...ends), high = Math.max(...ends);
    if (flat) return withRoomForLabels(low, high);
    if (chart.y.isLog) {
      const pad = Math.max(1.12, (high / low) ** 0.08);
      return [low / (isBar && low >= 1 ? 1.1 : pad), high * (isBar ? pad * 1.12 : pad)];
    }
    return [Math.min(0, low * 1.1), high <= 0 ? 1 : high * 1.1];
  }

  // The values stand beyond the bars' ends, also of the longest.
  function withRoomForLabels(low, high) {
    const values = chart.series.flatMap(s => s.y).filter(v => v !== null && Number.isFinite(v));
    const label = 14 + Math.max(...values.map(v => textWidth(format(chart.y, v), 11)));
    const room = Math.max(120, holder.clientWidth - (namesAbove() ? 40 : nameWidth + 50));
    const [to, from] = chart.y.isLog ? [Math.log, Math.exp] : [v => v, v => v];
    const first = chart.y.isLog ? low / (base === undefined ? 1.12 : 1) : Math.min(0, low);
    const left = first < 0 || (base !== undefined && base > 0 && low < base) ? label : 0;
    const span = Math.max(to(high) - to(first), 1e-3) / Math.max(60, room - label - left);
    const range = [from(to(first) - span * left), from(to(high) + span * label)];
    return !chart.y.isLog && high <= 0 ? [range[0], 1] : range;
  }

  function rowHeight() {
    return (chart.series.length === 1 || exclusive ? 22 : 13 * chart.series.length + 10) + (namesAbove() ? nameHeight : 0);
  }

  function xRange(u, min, max) {
    if (isBar) return [-0.5, count - 0.5];
    if (min === null || min === undefined) return [0, 1];
    if (min === max) return chart.x.isLog ? [min / 2, max * 2] : [min - 1, max + 1];
    if (chart.x.isLog) return [min / 1.12, max * 1.12];
    return [min, max];
  }

  // Powers that can be labelled; the smaller steps where there is room.
  function logSplits(axis) {
    return (u, axisIdx, min, max) => {
      const step = axis.unit === 'B' ? 2 : 10;
      const room = Math.max(3, (axisIdx === (flat ? 1 : 0) ? u.width : u.height) / 80);
      if (step === 10 && max / min < 100) {
        const marks = max / min < 8 ? [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9] : [1, 2, 5];
        const found = [];
        for (let e = Math.floor(Math.log10(min)); e <= Math.log10(max); e++)
          for (const m of marks) found.push(+(m * 10 ** e).toPrecision(6));
        return found.filter(v => v >= min && v <= max);
      }
      const first = Math.ceil(Math.log(min) / Math.log(step) - 1e-9), last = Math.floor(Math.log(max) / Math.log(step) + 1e-9);
      const every = Math.max(1, Math.ceil((last - first + 1) / room));
      const found = [];
      for (let e = first; e <= last; e += every) found.push(step ** e);
      return found;
    };
  }

  const muted = () => css('--muted'), grid = () => css('--line-soft');
  const common = { stroke: muted, font: font(12), labelFont: font(12), labelGap: 4, ticks: { show: false }, border: { show: true, stroke: () => css('--line'), width: 1 } };
  const nameWidth = names && flat ? Math.min(380, 0.42 * holder.clientWidth, Math.max(...names.map(n => textWidth(n, 12)))) : 0;
  const tickWidth = Math.max(46, ...chart.series.flatMap(s => s.y).filter(v => v !== null).map(v => textWidth(formatTick(+v.toPrecision(2)), 12) + 18));
  const xAxis = {
    ...common,
    scale: 'x',
    side: flat ? 3 : 2,
    size: () => (!flat ? 28 : namesAbove() ? 6 : nameWidth + 16),
    grid: { show: !isBar, stroke: grid, width: 1 },
    label: names ? undefined : axisLabel(chart.x),
    labelSize: 20,
    ...(names ? {
      splits: () => data[0], space: 0, rotate: 0,
      values: (u, splits) => (namesAbove() ? splits.map(() => '') : !isBar ? apart(names, u.bbox.width / devicePixelRatio) : splits.map(i => shorten(names[i] ?? '', flat ? nameWidth + 1 : Math.max(40, u.bbox.width / devicePixelRatio / count - 6)))),
    } : {
      ...(chart.x.isLog ? { splits: logSplits(chart.x) } : { space: 70, ...(data[0].every(Number.isInteger) ? { incrs: wholeSteps } : {}) }),
      values: (u, splits) => splits.map(v => (chart.x.unit === 'B' ? formatSize(v) : formatTick(v))),
    }),
    filter: (u, splits) => splits,
  };
  const yAxis = {
    ...common,
    scale: 'y',
    side: flat ? 2 : 3,
    size: flat ? 28 : Math.min(110, tickWidth),
    grid: { show: true, stroke: grid, width: 1 },
    label: axisLabel(chart.y),
    labelSize: 20,
    ...(chart.y.isLog ? { splits: logSplits(chart.y) } : { space: flat ? 70 : 34 }),
    values: (u, splits) => {
      const texts = splits.map(v => (chart.y.unit === 'B' ? formatSize(v) : formatTick(v)));
      return flat && chart.y.isLog ? thinned(u, 'y', splits, texts) : texts;
    },
    filter: (u, splits) => splits,
  };

  const tip = document.createElement('div');
  tip.className = 'tip';
  tip.hidden = true;

  function showTip(u) {
    const at = u.cursor.idx;
    if (at === null || at === undefined || u.cursor.left < 0) {
      tip.hidden = true;
      return;
    }
    const rows = [];
    chart.series.forEach((series, i) => {
      const value = data[places[i].value][at];
      if (!shown[i] || value === null || value === undefined) return;
      const tr = document.createElement('tr');
      const name = document.createElement('td');
      const swatch = document.createElement('i');
      swatch.style.setProperty('--color', `var(${barColour(i, at)})`);
      name.append(swatch, series.name);
      const number = document.createElement('td');
      number.textContent = withUnit(chart.y, value);
      const range = document.createElement('td');
      if (places[i].low && data[places[i].low][at] != null && data[places[i].high][at] != null) {
        const small = document.createElement('small');
        small.textContent = `${format(chart.y, data[places[i].low][at])} to ${format(chart.y, data[places[i].high][at])}`;
        range.append(small);
      }
      tr.append(name, number, range);
      rows.push(tr);
    });
    if (rows.length === 0) {
      tip.hidden = true;
      return;
    }
    const title = document.createElement('b');
    const x = data[0][at];
    title.textContent = names ? names[x] ?? '' : chart.x.unit === 'B' ? `${chart.x.label}: ${formatSize(x)}` : `${chart.x.label}: ${formatTick(x)}${chart.x.unit ? ` ${chart.x.unit}` : ''}`;
    const table = document.createElement('table');
    table.append(...rows);
    tip.replaceChildren(title, table);
    tip.hidden = false;
    const room = u.over.clientWidth;
    const left = u.cursor.left + 16 + tip.offsetWidth > room ? u.cursor.left - tip.offsetWidth - 16 : u.cursor.left + 16;
    tip.style.left = `${Math.max(-40, left)}px`;
    tip.style.top = `${Math.max(0, Math.min(u.cursor.top + 10, u.over.clientHeight - tip.offsetHeight))}px`;
  }

  // Error bars, the bars' values, and the reference line lie over what uPlot draws.
  function drawOver(u) {
    const ctx = u.ctx, ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
    if (!flat) ctx.clip();
    const yPos = v => u.valToPos(v, 'y', true), xPos = v => u.valToPos(v, 'x', true);
    if (chart.reference) {
      const at = yPos(chart.reference.y);
      ctx.strokeStyle = css('--muted');
      ctx.lineWidth = 1.25 * ratio;
      ctx.setLineDash([5 * ratio, 4 * ratio]);
      ctx.beginPath();
      if (flat) { ctx.moveTo(at, u.bbox.top); ctx.lineTo(at, u.bbox.top + u.bbox.height); }
      else { ctx.moveTo(u.bbox.left, at); ctx.lineTo(u.bbox.left + u.bbox.width, at); }
      ctx.stroke();
      ctx.setLineDash([]);
    }
    if (namesAbove()) {
      ctx.textAlign = 'left';
      ctx.textBaseline = 'middle';
      const row = Math.abs(xPos(1) - xPos(0));
      for (const x of data[0]) {
        const name = shorten(names[x] ?? '', u.width - u.bbox.left / ratio - 22), top = xPos(x) - row / 2;
        ctx.fillStyle = css('--paper');
        ctx.fillRect(u.bbox.left + 2 * ratio, top + ratio, textWidth(name, 12) * ratio + 4 * ratio, (nameHeight - 2) * ratio);
        ctx.fillStyle = css('--muted');
        ctx.font = font(12 * ratio);
        ctx.fillText(name, u.bbox.left + 3 * ratio, top + nameHeight / 2 * ratio);
      }
    }
    if (isBar) {
      chart.series.forEach((_, i) => {
        if (!shown[i]) return;
        const place = places[i], { width, offset } = barPlace(i);
        const thick = Math.abs(xPos(width) - xPos(0)) / ratio;
        data[0].forEach((x, at) => {
          const value = data[place.value][at];
          if (value === null || value === undefined) return;
          const middle = xPos(x + offset + width / 2);
          let end = yPos(value);
          const grows = base === undefined || value >= base;
          const low = place.low ? data[place.low][at] : null, high = place.high ? data[place.high][at] : null;
          if (low != null && high != null) {
            ctx.strokeStyle = css('--text');
            ctx.globalAlpha = 0.65;
            ctx.lineWidth = 1 * ratio;
            const cap = Math.min(4, thick / 4) * ratio, a = yPos(low), b = yPos(high);
            ctx.beginPath();
            if (flat) { ctx.moveTo(a, middle); ctx.lineTo(b, middle); ctx.moveTo(a, middle - cap); ctx.lineTo(a, middle + cap); ctx.moveTo(b, middle - cap); ctx.lineTo(b, middle + cap); }
            else { ctx.moveTo(middle, a); ctx.lineTo(middle, b); ctx.moveTo(middle - cap, a); ctx.lineTo(middle + cap, a); ctx.moveTo(middle - cap, b); ctx.lineTo(middle + cap, b); }
            ctx.stroke();
            ctx.globalAlpha = 1;
            end = grows ? (flat ? Math.max(end, a, b) : Math.min(end, a, b)) : (flat ? Math.min(end, a, b) : Math.max(end, a, b));
          }
          const label = format(chart.y, value);
          if (flat ? thick < 9 : textWidth(label, 11) > Math.abs(xPos(1) - xPos(0)) / ratio / Math.max(1, shown.filter(Boolean).length) + 4) return;
          ctx.fillStyle = css('--text');
          ctx.font = font(11 * ratio);
          if (flat) {
            ctx.textBaseline = 'middle';
            ctx.textAlign = grows ? 'left' : 'right';
            ctx.fillText(label, end + (grows ? 5 : -5) * ratio, middle + ratio);
          } else {
            ctx.textAlign = 'center';
            ctx.textBaseline = grows ? 'bottom' : 'top';
            ctx.fillText(label, middle, end - (grows ? 3 : -3) * ratio);
          }
        });
      });
    }
    ctx.restore();
  }

  function heightFor() {
    if (!flat) return holder.clientWidth < phoneWidth ? 260 : 340;
    return count * rowHeight() + 70;
  }

  // Half of the last value on the axis stands beyond the chart's end.
  function paddingRight(u) {
    const most = u.scales.y.max;
    return flat && most != null ? Math.max(18, Math.ceil(textWidth(chart.y.unit === 'B' ? formatSize(most) : formatTick(most), 12) / 2) + 4) : 18;
  }

  const options = {
    width: holder.clientWidth,
    height: heightFor(),
    padding: [12, paddingRight, 4, 6],
    legend: { show: false },
    cursor: {
      x: !isBar && !flat, y: false,
      drag: { x: !isBar, y: false },
      points: { show: !isBar, size: 8 },
    },
    scales: {
      x: { time: false, distr: chart.x.isLog ? 3 : 1, log: chart.x.unit === 'B' ? 2 : 10, ori: flat ? 1 : 0, dir: flat ? -1 : 1, range: xRange },
      y: { distr: chart.y.isLog ? 3 : 1, log: 10, ori: flat ? 0 : 1, dir: 1, range: yRange },
    },
    series: seriesOptions,
    bands,
    axes: [xAxis, yAxis],
    hooks: { draw: [drawOver], setCursor: [showTip] },
  };
  const plot = new uPlot(options, data, holder);
  plot.over.append(tip);
  plot.over.addEventListener('mouseleave', () => { tip.hidden = true; });
  charts.push(plot);

  const legend = holder.parentElement.querySelector('.legend');
  chart.series.forEach((series, i) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.setAttribute('aria-pressed', 'true');
    button.title = 'Show or hide';
    const swatch = document.createElement('i');
    swatch.style.setProperty('--color', `var(${colours[i]})`);
    button.append(swatch, series.name);
    button.addEventListener('click', () => {
      shown[i] = !shown[i];
      button.setAttribute('aria-pressed', String(shown[i]));
      plot.batch(() => {
        for (const at of [places[i].value, places[i].low, places[i].high])
          if (at) plot.setSeries(at, { show: shown[i] });
      });
      plot.redraw(true, false);
    });
    legend.append(button);
  });
  if (chart.reference) {
    const note = document.createElement('span');
    note.append(document.createElement('i'), chart.reference.label);
    legend.append(note);
  }
  new ResizeObserver(() => {
    if (holder.clientWidth > 0 && holder.clientWidth !== plot.width) plot.setSize({ width: holder.clientWidth, height: heightFor() });
  }).observe(holder);
}
