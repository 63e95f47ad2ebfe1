import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { minePatterns } from '../packages/reflex/src/learn/mine/mine.ts'
import type { Line } from './measure.ts'
import { countMapped, type WordsOf } from './mining/mapped-words.ts'
import { countWords } from './mining/ngram-table.ts'
import { planted, type PlantedLog, plantedTools } from './mining/planted.ts'
import { score } from './mining/score.ts'
import { FAMILIES } from './mining/second/families.ts'
import { judge } from './mining/second/judge.ts'
import { type LogOptions, secondLog } from './mining/second/log.ts'
import { columnsOf, minedWords, PARAMS } from './mining/words.ts'

const LONGEST = 12
const SIZES = [10_000, 100_000, 1_000_000] as const
/** The package makes a text of every word: a million calls do not fit into memory. */
const MOST_MAPPED = 100_000

/**
 * Mining of planted logs: processor time against counters of n-grams over the same columns, memory, and what is found of what was planted.
 * The parameters were chosen with the first log. The second one was written later from the reference alone, with other procedures, segments and
 * noise, and no parameter was changed for it; but one rule was: a part of a repetition is no pattern.
 */
export async function mining(line: Line): Promise<void> {
  const { ngramWords } = (await import(new URL('./peers/ngram.ts', import.meta.url).href)) as { ngramWords: WordsOf }
  for (const events of SIZES) {
    const log = planted({ seed: 7, events })
    const columns = columnsOf(log)
    const size = columns.log.symbol.length - columns.log.sequences.length
    const title = `${size.toLocaleString('en-US')} calls`
    const rounds = events > 100_000 ? 3 : 5
    const own = best(rounds, () => minedWords(columns))
    line(
      `${title}: words, costs, filters`,
      `${own.toFixed(0)} ms`,
      `${((own * 1e6) / size).toFixed(0)} ns a call; processor time, best of ${rounds}`,
    )
    const table = best(1, () => countWords(columns, LONGEST))
    line('  one-pass table of n-grams takes', `${table.toFixed(0)} ms`, `${(table / own).toFixed(1)} times as long; aim 5 at a million`)
    if (events <= MOST_MAPPED) {
      const mapped = best(1, () => countMapped(columns, LONGEST, ngramWords))
      line('  the package n-gram with a map takes', `${mapped.toFixed(0)} ms`, `${(mapped / own).toFixed(1)} times as long; aim 40`)
    }
    const memory = spawnSync(process.execPath, [join(import.meta.dirname, 'mining/memory.ts'), String(events)], { encoding: 'utf8' }).stdout
    line(
      '  resident memory after that',
      `${memory} MB`,
      'in a process of its own, with Node and the making of the log; aim 300 at a million',
    )
    await whole(line, log)
  }
  await stress(line)
  await second(line)
}

/** Mines a log as a whole, and compares what was found with what was planted. */
async function whole(line: Line, log: PlantedLog): Promise<void> {
  const from = processorTime()
  const report = await minePatterns(log.shapes(), { tools: plantedTools, params: PARAMS })
  const took = processorTime() - from
  const { precision, recall, leaked, slots } = score(log, report)
  line('  whole, with arguments and making the log', `${took.toFixed(0)} ms`, `${report.considered} words looked at`)
  line('  precision, recall', `${precision.toFixed(2)}, ${recall.toFixed(2)}`, 'aim 0.95 from 100,000 calls')
  line('  F1 of slots; decoys found', `${slots.toFixed(2)}; ${leaked.length}`, 'aim 0.95; 0')
}

/** Families that are hard, reported without an aim. */
async function stress(line: Line): Promise<void> {
  for (const interrupted of [0.3, 0.5]) {
    const log = planted({ seed: 11, events: 50_000, interrupted })
    const { precision, recall, leaked } = score(log, await minePatterns(log.shapes(), { tools: plantedTools, params: PARAMS }))
    const found = `${precision.toFixed(2)}, ${recall.toFixed(2)}`
    line(`50,000 calls, ${interrupted * 100} % interrupted: precision, recall`, found, `${leaked.length} decoys`)
  }
}

/** Mines logs that another generator makes, and its hard families, which have no aim. */
async function second(line: Line): Promise<void> {
  for (const events of [10_000, 100_000, 1_000_000])
    for (const seed of events > 100_000 ? [101] : [101, 202, 303])
      await judged(
        line,
        `second log, ${events.toLocaleString('en-US')} calls, seed ${seed}`,
        { seed, events },
        'aim 0.95 from 100,000 calls',
      )
  for (const { name, options } of FAMILIES)
    for (const seed of [11, 12, 13]) await judged(line, `second log, ${name}, seed ${seed}`, { seed, events: 50_000, ...options }, 'no aim')
}

async function judged(line: Line, title: string, options: LogOptions, aim: string): Promise<void> {
  const log = secondLog(options)
  const { precision, recall, slots, leaked } = judge(log.procedures, await minePatterns(log.shapes(), { params: PARAMS }))
  const figures = `${precision.toFixed(2)}, ${recall.toFixed(2)}, ${slots.toFixed(2)}`
  line(title, figures, `precision, recall, F1 of slots; ${leaked.length} traps found; ${aim}`)
}

function best(rounds: number, work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < rounds; i++) {
    const from = processorTime()
    work()
    least = Math.min(least, processorTime() - from)
  }
  return least
}

/** Milliseconds of processor time of this process: machines are shared. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
