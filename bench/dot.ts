import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseDot, readPipeline } from '../packages/reflex/src/kinds/pipeline/index.ts'
import { PACKAGE } from '../scripts/exports.ts'
import { alternate, type Contestant, type Line, median, timesAsFast } from './measure.ts'
import { processOf } from './start.ts'

interface DotPeer {
  readonly name: string
  readonly aim: string
  parse(text: string): number
}

/** A text, how often each parser reads it, and how often in one round. */
interface Text {
  readonly name: string
  readonly text: string
  readonly rounds: number
  readonly times: number
}

const WRITTEN = ['letter', 'review', 'move']
const LARGE = 10_000
const VERY_LARGE = 200_000

/**
 * Reading pipelines, against those who read DOT, in turns. Each reads the text as it is, comments and all, but for what they
 * do not know: for them durations and dotted keys get quotes, and a line end inside a text is written as \\n. What none of them
 * does, compiling and checking, stands beside.
 */
export async function dot(line: Line): Promise<void> {
  const { dotPeers } = (await import(new URL('./peers/dot.ts', import.meta.url).href)) as { dotPeers: () => Promise<readonly DotPeer[]> }
  const peers = await dotPeers()
  for (const name of WRITTEN) {
    const text = readFileSync(new URL(`./pipelines/${name}.dot`, import.meta.url), 'utf8')
    await compare(line, peers, { name: `${name}.dot, ${text.split('\n').length - 1} lines`, text, rounds: 50, times: 10 })
  }
  for (const size of [LARGE, 2 * LARGE])
    await compare(line, peers, { name: `${size.toLocaleString('en-US')} nodes in a row`, text: linear(size), rounds: 10, times: 1 })
  const [once, twice] = [linear(LARGE), linear(2 * LARGE)]
  await growth(line, 'time to parse 2n nodes over time for n', once, twice, parsed)
  await growth(line, 'time to check 2n nodes over time for n', once, twice, checked)
  await validateRows(line)
}

/** Whole processes on rows of very many nodes: what a person waits for, above what Node alone takes. */
async function validateRows(line: Line): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reflex-rows-'))
  try {
    writeFileSync(join(folder, 'plain.dot'), row(VERY_LARGE, false))
    writeFileSync(join(folder, 'prompts.dot'), row(VERY_LARGE, true))
    const command = join(PACKAGE, 'bin/reflex.js')
    const contestants = [['-e', '0'], ...['plain', 'prompts'].map((name) => [command, 'validate', `${name}.dot`])]
    const [floor, ...measured] = await alternate(
      contestants.map((args) => processOf(args, folder)),
      1,
      5,
    )
    for (const [i, { rounds }] of measured.entries()) {
      const above = median(rounds.map((ns, round) => (ns - (floor?.rounds[round] ?? Number.NaN)) / 1e9))
      const what = i === 0 ? 'nodes that only edges name' : 'nodes with prompts'
      line(
        `reflex validate, a row of ${VERY_LARGE.toLocaleString('en-US')} ${what}`,
        `${above.toFixed(2)} s`,
        'above node -e 0; aim at most 5',
      )
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const parsed = (text: string): unknown => parseDot(text, { accumulateErrors: true })
const checked = (text: string): unknown => readPipeline(text)

async function compare(line: Line, peers: readonly DotPeer[], { name, text, rounds, times }: Text): Promise<void> {
  const portable = portableText(text)
  const able = peers.filter((peer) => reads(line, peer, name, portable))
  const others = able.map((peer) => contestant(peer.name, times, () => peer.parse(portable)))
  const [own, ...theirs] = await alternate([contestant('reflex', times, () => timed(() => parsed(text))), ...others], times, rounds)
  // By itself: what it leaves behind would be cleared away on the account of the others.
  const [whole] = await alternate([contestant('checked', times, () => timed(() => checked(text)))], times, rounds)
  if (own === undefined || whole === undefined) throw new Error('nothing was measured')
  const rate = `${((text.length / own.ns) * 1000).toFixed(0)} MB/s`
  line(name, `${inMs(own.ns)} ms`, `${rate}; ${inMs(whole.ns)} ms with everything that validate does`)
  for (const [i, their] of theirs.entries())
    line(`  times as fast as ${their.name}`, timesAsFast(own, their).toFixed(1), `${inMs(their.ns)} ms; ${able[i]?.aim ?? ''}`)
}

/** How much longer twice as much takes. */
async function growth(line: Line, name: string, once: string, twice: string, work: (text: string) => unknown): Promise<void> {
  const rounds = [once, twice].map((text) => contestant('', 1, () => timed(() => work(text))))
  const [one, two] = await alternate(rounds, 1, 10)
  if (one !== undefined && two !== undefined) line(name, timesAsFast(one, two).toFixed(2), 'aim at most 2.2')
}

/** One parse takes too little to be timed alone; each round is several. */
function contestant(name: string, times: number, once: () => number): Contestant {
  return {
    name,
    round: async () => {
      let ms = 0
      for (let i = 0; i < times; i++) ms += once()
      return ms
    },
  }
}

/** Whether a peer can read a text at all; said if not. */
function reads(line: Line, peer: DotPeer, name: string, text: string): boolean {
  try {
    peer.parse(text)
    return true
  } catch (thrown) {
    const [reason = ''] = String(thrown).split('\n')
    line(`  ${peer.name}`, 'cannot', `read ${name}: ${reason.slice(0, 80)}`)
    return false
  }
}

function timed(work: () => unknown): number {
  const from = performance.now()
  work()
  return performance.now() - from
}

function inMs(ns: number): string {
  return (ns / 1e6).toFixed(ns < 1e7 ? 3 : 1)
}

/** The same text in what every parser of DOT knows; texts and comments are passed over. */
function portableText(text: string): string {
  return text.replace(
    /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|(?<==)\d+(?:ms|[smhd])\b|\b[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?=\s*=)/g,
    (part) => (part.startsWith('"') ? part.replace(/\n/g, '\\n') : part.startsWith('/') ? part : `"${part}"`),
  )
}

/** So many nodes one behind the other, with next to nothing in each. */
function row(size: number, hasPrompts: boolean): string {
  const last = size - 1
  const nodes = hasPrompts ? Array.from({ length: size - 2 }, (_, i) => `n${i + 1} [prompt="p"];`) : []
  const edges = Array.from({ length: last }, (_, i) => `n${i} -> n${i + 1};`)
  return ['digraph g { graph [goal="g"];', 'n0 [shape=Mdiamond];', ...nodes, ...edges, `n${last} [shape=Msquare] }`].join('\n')
}

/** So many steps one behind the other, each with what a step usually has. */
function linear(size: number): string {
  const nodes = Array.from(
    { length: size },
    (_, i) =>
      `  step_${i} [label="Step ${i}", prompt="Do part ${i} of $goal.\\nSay what you did.", max_retries="2", timeout="60000", class="worker"]`,
  )
  const edges = Array.from({ length: size - 1 }, (_, i) => `  step_${i} -> step_${i + 1} [condition="outcome=success", weight=1]`)
  const ends = ['  start [shape=Mdiamond]', '  end [shape=Msquare]', '  start -> step_0', `  step_${size - 1} -> end`]
  return `digraph Line {\n  graph [goal="Everything"]\n${[...ends, ...nodes, ...edges].join('\n')}\n}\n`
}
