import { isAbsolute, relative } from 'node:path'
import { describeFault, type FaultData } from '../kernel/index.ts'
import { countCells, shellWord } from '../text/index.ts'
import { cropFrame } from './crop-frame.ts'
import { jsonText } from './escape.ts'
import { layoutText } from './layout.ts'
import { Look } from './look.ts'
import { type CommonFlags, type Shape, shapeOf } from './options.ts'
import type { World } from './world.ts'

/** The output of a command: two sinks with their looks, and the shape of its result. */
export class Console {
  readonly world: World
  readonly flags: CommonFlags
  readonly shape: Shape
  /** The look of standard output. */
  readonly out: Look
  /** The look of standard error. */
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

  /** Prints lines of the result on standard output. */
  print(lines: readonly string[]): void {
    if (lines.length > 0) this.world.out.write(`${lines.join('\n')}\n`)
  }

  /** Prints warnings, unless the user asked for quiet. */
  warn(warnings: readonly FaultData[]): void {
    if (!this.quiet && this.shape === 'text') for (const warning of warnings) this.report(this.fault(warning))
  }

  /** Prints lines for a person on standard error. */
  report(lines: readonly string[]): void {
    if (lines.length > 0) this.world.err.write(`${lines.join('\n')}\n`)
  }

  /** Prints the single document of `--json`, or a line of `--jsonl`. */
  document(document: object): void {
    this.world.out.write(`${jsonText(document, this.shape === 'jsonl' ? undefined : 2)}\n`)
  }

  /** True if a person watches and can be asked: progress is then a tree that is updated in place. */
  get isLive(): boolean {
    return this.err.terminal && this.world.keyboard !== undefined
  }

  /** True if the store ends with this process: no later command can find the run. */
  get isInMemory(): boolean {
    return /^memory:/i.test(this.flags.store ?? this.world.surroundings.environment['REFLEX_STORE'] ?? '')
  }

  /** Returns a command that can be pasted. It omits the password of a store, because it would stay in logs. */
  command(...words: readonly string[]): string {
    const { store } = this.flags
    const all = [...words.map(shellWord), ...(store === undefined ? [] : ['--store', shellWord(withoutPassword(store))])]
    return `${this.world.command} ${all.join(' ')}`
  }

  /** Returns the text of a fault in the colours and the width of a sink. */
  fault(fault: FaultData, look: Look = this.err): string[] {
    const [head = '', ...rest] = describeFault(this.#localFault(fault, look)).split('\n')
    const [word = '', ...parts] = head.split('  ').map((part) => look.text(part))
    const painted = look.paint(SEVERITY_COLOURS[fault.severity ?? 'error'], word)
    return [...headLines(word, painted, parts, look), ...rest.flatMap((line) => faultLine(line, look, this.world.command))]
  }

  /** Returns a fault whose file is relative to this folder and whose commands can be pasted. */
  #localFault(fault: FaultData, look: Look): FaultData {
    const { file, message, frame, run } = fault
    const fix = run === undefined ? fault.fix : fault.fix?.replace(/\b(reflex \w+) RUN\b/g, `$1 ${run}`)
    const near = file === undefined ? undefined : this.nearPath(file)
    return {
      ...fault,
      // The message of an Error is not enumerable, so the spread does not copy it.
      message,
      frame: cropFrame(frame, look.columns),
      ...(file === undefined || near === undefined ? {} : { file: near, message: message.replaceAll(file, near) }),
      ...(fix === undefined ? {} : { fix: this.pasteable(fix) }),
    }
  }

  /** Returns a text whose commands can be pasted. */
  pasteable(text: string): string {
    return text.replace(/(^|[^\w/-] ?)(?<!npx )reflex (?=--|[a-z]+\b)/g, `$1${this.world.command} `)
  }

  /** Returns a path relative to the folder in which the command was started. */
  nearPath(file: string): string {
    const path = relative(this.world.surroundings.cwd, file)
    return path.startsWith('..') || isAbsolute(path) ? file : path === '' ? '.' : path
  }
}

/** The colour of the first word of a fault, by its severity. */
const SEVERITY_COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const

/** Removes the password from an address. `PGPASSWORD` or a password file supplies it when the command is typed again. */
function withoutPassword(store: string): string {
  const url = URL.parse(store)
  if (url === null || (url.password === '' && !url.searchParams.has('password'))) return store
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

/** Puts everything on one line if it fits, else the message below the place. */
function headLines(word: string, painted: string, parts: readonly string[], look: Look): string[] {
  const whole = [word, ...parts].join('  ')
  if (countCells(whole) <= look.room) return [[painted, ...parts].join('  ')]
  const [place = '', ...message] = parts
  if (message.length === 0) return layoutText({ lead: word, painted, text: place, column: 2 }, look)
  const beside = countCells(word) + 2 + countCells(place) <= look.room
  const below = beside ? message : parts
  return [beside ? `${painted}  ${place}` : painted, ...below.flatMap((part) => look.wrap(part, look.room - 2).map((line) => `  ${line}`))]
}

const FACT = /^( {2}\w+ +)(.*)$/s

function faultLine(line: string, look: Look, command: string): string[] {
  const [, lead, text] = FACT.exec(line) ?? []
  if (lead === undefined || text === undefined) return [look.text(line)]
  if (isCommand(text, command)) return [`${look.paint('dim', lead)}${text}`]
  const [first = '', ...rest] = look.wrap(look.text(text), Math.max(16, look.room - lead.length))
  return [`${look.paint('dim', lead)}${first}`, ...rest.map((more) => `${' '.repeat(lead.length)}${more}`)]
}

/** True if a fact is only a command. It is not wrapped, so that it can be copied. */
function isCommand(text: string, command: string): boolean {
  return text.startsWith(`${command} `) && /^[a-z]+( [^\s;,]+)*$/.test(text.slice(command.length + 1))
}
