import { isAbsolute, relative } from 'node:path'
import { describeFault, type FaultData } from '../kernel/index.ts'
import { countCells, shellWord } from '../text/index.ts'
import { cropFrame } from './crop-frame.ts'
import { jsonText } from './escape.ts'
import { layoutText } from './layout.ts'
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

  /** Warnings, for a person who has not asked for quiet. */
  warn(warnings: readonly FaultData[]): void {
    if (!this.quiet && this.shape === 'text') for (const warning of warnings) this.report(this.fault(warning))
  }

  /** Lines of the story. */
  report(lines: readonly string[]): void {
    if (lines.length > 0) this.world.err.write(`${lines.join('\n')}\n`)
  }

  /** The one document of `--json`, or a line of `--jsonl`. */
  document(document: object): void {
    this.world.out.write(`${jsonText(document, this.shape === 'jsonl' ? undefined : 2)}\n`)
  }

  /** Whether a person watches and can be asked: then progress is a tree that lives. */
  get isLive(): boolean {
    return this.err.terminal && this.world.keyboard !== undefined
  }

  /** Whether the store ends with this process: then there is no command that comes back to a run. */
  get isInMemory(): boolean {
    return /^memory:/i.test(this.flags.store ?? this.world.surroundings.environment['REFLEX_STORE'] ?? '')
  }

  /** A command that can be pasted as it stands; a password of the store is left out, for it would stay in logs. */
  command(...words: readonly string[]): string {
    const { store } = this.flags
    const all = [...words.map(shellWord), ...(store === undefined ? [] : ['--store', shellWord(withoutPassword(store))])]
    return `${this.world.command} ${all.join(' ')}`
  }

  /** The text of a fault in the colours and the width of this sink. */
  fault(fault: FaultData, look: Look = this.err): string[] {
    const [head = '', ...rest] = describeFault(this.#localFault(fault, look)).split('\n')
    const [word = '', ...parts] = head.split('  ').map((part) => look.text(part))
    const painted = look.paint(SEVERITY_COLOURS[fault.severity ?? 'error'], word)
    return [...headLines(word, painted, parts, look), ...rest.flatMap((line) => faultLine(line, look, this.world.command))]
  }

  /** A fault with its file as a person here would name it, and with commands that can be pasted. */
  #localFault(fault: FaultData, look: Look): FaultData {
    const { file, message, frame, run } = fault
    const fix = run === undefined ? fault.fix : fault.fix?.replace(/\b(reflex \w+) RUN\b/g, `$1 ${run}`)
    const near = file === undefined ? undefined : this.nearPath(file)
    return {
      ...fault,
      // That of an error is not among what is spread.
      message,
      frame: cropFrame(frame, look.columns),
      ...(file === undefined || near === undefined ? {} : { file: near, message: message.replaceAll(file, near) }),
      ...(fix === undefined ? {} : { fix: fix.replace(/(^|[^\w/-] ?)(?<!npx )reflex (?=--|[a-z]+\b)/g, `$1${this.world.command} `) }),
    }
  }

  /** A path as a person would name it from the folder in which the command was started. */
  nearPath(file: string): string {
    const path = relative(this.world.surroundings.cwd, file)
    return path.startsWith('..') || isAbsolute(path) ? file : path === '' ? '.' : path
  }
}

/** How bad a fault is, as its first word shows it. */
const SEVERITY_COLOURS = { error: 'red', warning: 'yellow', info: 'cyan' } as const

/** `PGPASSWORD` or a password file gives it, where a command is typed again. */
function withoutPassword(store: string): string {
  const url = URL.parse(store)
  if (url === null || (url.password === '' && !url.searchParams.has('password'))) return store
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

/** All on one line where it fits, else the message below the place. */
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

/** A fact that is a command and nothing else is not wrapped, so that it can be copied. */
function isCommand(text: string, command: string): boolean {
  return text.startsWith(`${command} `) && /^[a-z]+( [^\s;,]+)*$/.test(text.slice(command.length + 1))
}
