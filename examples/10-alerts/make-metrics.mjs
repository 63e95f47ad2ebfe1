// Writes the samples of one day, one in each minute: a calm night, a busy day with short peaks, and one process that runs wild at 09:10.
// Two lines are wrong on purpose. The numbers come from a fixed seed.
const START = Date.UTC(2026, 2, 2)

let seed = 20260302
function random() {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
  return seed / 2 ** 32
}

function load(minute) {
  const day = Math.max(0, Math.sin(((minute - 360) / 840) * Math.PI))
  const calm = 0.12 + 0.45 * day + 0.1 * (random() - 0.5)
  // Peaks of at most three minutes, and one that lasts from 09:10 to 09:31 and never falls to 0.7.
  if (minute >= 550 && minute <= 571) return 0.93 + 0.04 * (random() - 0.5) - (minute === 560 ? 0.18 : 0)
  if (minute % 211 < 3 && minute > 300) return 0.91 + 0.08 * random()
  return calm
}

for (let minute = 0; minute < 1440; minute++) {
  const line = minute + 1
  const cpu = minute === 554 ? 0.93 : Math.round(load(minute) * 100) / 100
  const payload = line === 311 ? { ts: minute * 60, cpu_pct: Math.round(cpu * 100) } : { ts: minute * 60, cpu }
  const event_id = `m-${line === 902 ? 880 : line}`
  const at = new Date(START + minute * 60_000).toISOString().replace('.000', '')
  console.log(JSON.stringify({ event_id, at, semantic_kind: 'sample', payload }))
}
