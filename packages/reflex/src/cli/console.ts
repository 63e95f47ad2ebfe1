import { describeFault, type FaultData } from '../kernel/index.ts'
import { Look } from './look.ts'
import { type CommonFlags, type Shape, shapeOf } from './options.ts'
import type { World } from './world.ts'

/** What a command has to speak with: two sinks with their looks, and the shape of its result. */
export class Console {
  readonly world: World
  readonly flags: CommonFlags
  readonly shape: Shape
  /** Of standard output. */
  readonly out: Look
  /** Of standard error. */
  readonly err: Look
  readonly quiet: boolean

  constructor(world: World, flags: CommonFlags) {
    this.world = world
    this.flags = flags
    this.shape = shapeOf(flags)
    const settings = { environment: world.surroundings.environment, colour: flags.color !== false }
    this.out = new Look(world.out, settings)
    this.err = new Look(world.err, settings)
    this.quiet = flags.quiet === true
  }

  get now(): number {
    return this.world.surroundings.host.now()
  }

  /** Lines of the result. */
  print(lines: readonly string[]): void {
    if (lines.length > 0) this.world.out.write(`${lines.join('\n')}\n`)
  }

  /** Lines of the story. */
  tell(lines: readonly string[]): void {
    if (lines.length > 0) this.world.err.write(`${lines.join('\n')}\n`)
  }

  /** The one document of `--json`, or a line of `--jsonl`. */
  document(document: object): void {
    this.world.out.write(`${this.shape === 'jsonl' ? JSON.stringify(document) : JSON.stringify(document, null, 2)}\n`)
  }

  /** Whether a person watches and can be asked: then progress is a tree that lives. */
  get live(): boolean {
    return this.err.terminal && this.world.keyboard !== undefined
  }

  /** A command that can be pasted as it stands. */
  command(...words: readonly string[]): string {
    const { store } = this.flags
    const all = [...words.map(shellWord), ...(store === undefined ? [] : ['--store', shellWord(store)])]
    return `${this.world.command} ${all.join(' ')}`
  }

  /** The text of a fault in the colours of this sink. */
  fault(fault: FaultData, look: Look = this.err): string[] {
    const [head = '', ...rest] = describeFault(fault).split('\n')
    const warning = fault.severity === 'warning'
    const word = /^\S+ \S+( \([^)]*\))?/.exec(head)?.[0] ?? ''
    const [first = '', ...more] = look.wrap(look.text(head), look.room)
    const painted = first.startsWith(word) ? look.paint(warning ? 'yellow' : 'red', word) + first.slice(word.length) : first
    const below = more.length === 0 ? [] : look.wrap(more.join(' '), look.room - 2).map((line) => `  ${line}`)
    return [painted, ...below, ...rest.flatMap((line) => faultLine(line, look))]
  }
}

const FACT = /^( {2}\w+ +)(.*)$/

function faultLine(line: string, look: Look): string[] {
  const [, lead, text] = FACT.exec(line) ?? []
  if (lead === undefined || text === undefined) return [look.text(line)]
  const [first = '', ...rest] = look.wrap(look.text(text), Math.max(16, look.room - lead.length))
  return [`${look.paint('dim', lead)}${first}`, ...rest.map((more) => `${' '.repeat(lead.length)}${more}`)]
}

/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
