/** @type {Record<string, number>} */
const UNITS = { s: 1, m: 60, h: 3600, d: 86400 }

/** Seconds of a span such as "1h 30m". @param {string} text */
export function seconds(text) {
  let sum = 0
  for (const part of text.split(' ')) {
    const unit = part.slice(-1)
    sum = Number(part.slice(0, -1)) * (UNITS[unit] ?? 0)
  }
  return sum
}

/** A span for people: "1h 30m". @param {number} left seconds */
export function span(left) {
  const parts = []
  for (const [unit, size] of Object.entries(UNITS)) {
    const count = Math.floor(left / size)
    if (count > 0) parts.push(`${count}${unit}`)
    left -= count * size
  }
  return parts.join(' ') || '0s'
}
