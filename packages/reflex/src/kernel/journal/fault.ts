import type { JsonObject } from './value.ts'

/** Who may act on a failure: try again, give up, wait for someone, or report a bug of ours. */
export type Verdict = 'retry' | 'fail' | 'wait' | 'bug'

/** How bad a finding is; `info` is worth knowing and asks for nothing. */
export type Severity = 'error' | 'warning' | 'info'

/** A fault as data: what enters a record, a log line or `--json`. Lines and columns count from 1. */
export interface FaultData {
  /** The stable code, `R####`. */
  readonly code: string
  /** The code that a seed or reference gives the same failure, such as `INVALID_EDGE`. */
  readonly rule?: string | undefined
  readonly message: string
  readonly verdict: Verdict
  readonly severity?: Severity | undefined
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** Characters to underline from `column`. */
  readonly length?: number | undefined
  /** The source lines around the place, ready to print. */
  readonly frame?: string | undefined
  /** Where in the program or value: a node path or a JSON path. */
  readonly path?: string | undefined
  readonly run?: string | undefined
  /** What to do about it. */
  readonly fix?: string | undefined
  readonly cause?: FaultData | string | undefined
  readonly data?: JsonObject | undefined
}

/** What a fault adds to its code and message. */
export type FaultDetails = Omit<Partial<FaultData>, 'code' | 'message' | 'cause'> & { readonly cause?: unknown }

/** One page of the catalogue; `reflex explain CODE` prints it. */
export interface CatalogueEntry {
  readonly title: string
  readonly verdict: Verdict
  readonly severity?: Severity
  /** When it can appear, such as `before a run`. */
  readonly when: string
  /** The codes that seeds give it, each with its kind: `workflow INVALID_EDGE`. */
  readonly rules?: readonly string[]
  readonly means: string
  readonly often?: string
  readonly fix: string
}

const BRAND = Symbol.for('reflex.fault')

const OPTIONAL = ['rule', 'file', 'line', 'column', 'length', 'frame', 'path', 'run', 'fix', 'data'] as const

/** Every failure of Reflex: a code from the catalogue, the place, the cause and the fix. */
export class Fault extends Error implements FaultData {
  readonly [BRAND] = true
  override readonly name: string = 'Fault'
  readonly code: string
  readonly verdict: Verdict
  readonly severity: Severity
  declare readonly rule: string | undefined
  declare readonly file: string | undefined
  declare readonly line: number | undefined
  declare readonly column: number | undefined
  declare readonly length: number | undefined
  declare readonly frame: string | undefined
  declare readonly path: string | undefined
  declare readonly run: string | undefined
  declare readonly fix: string | undefined
  declare readonly data: JsonObject | undefined
  declare readonly cause: FaultData | string | undefined

  constructor(code: string, message: string, verdict: Verdict, details: FaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: causeOf(details.cause) })
    this.code = code
    this.verdict = details.verdict ?? verdict
    this.severity = details.severity ?? 'error'
    // What it does not have is not there at all: whoever prints an error that nobody caught lists what is.
    for (const field of OPTIONAL) if (details[field] !== undefined) Object.assign(this, { [field]: details[field] })
    // Of a bug of ours the whole way is wanted.
    if (this.verdict !== 'bug') startAtCaller(this)
  }

  /** The text that the command prints: code, place, message, frame and fix. */
  override toString(): string {
    return describeFault(this)
  }

  toJSON(): FaultData {
    return faultData(this)
  }

  /** What Node prints of it: the text, not a list of the fields that it does not have. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return describeFault(this)
  }
}

/** Tells a fault by its brand, across copies of this package. */
export function isFault(value: unknown): value is Fault {
  return typeof value === 'object' && value !== null && BRAND in value
}

const FIELDS = [
  'code',
  'rule',
  'message',
  'verdict',
  'severity',
  'file',
  'line',
  'column',
  'length',
  'frame',
  'path',
  'run',
  'fix',
  'cause',
  'data',
] as const

/** A fault as plain data, without the fields that it does not have. */
export function faultData(fault: FaultData): FaultData {
  const out: Record<string, unknown> = {}
  for (const field of FIELDS) {
    if (fault[field] !== undefined && !(field === 'severity' && fault[field] === 'error')) out[field] = fault[field]
  }
  return out as unknown as FaultData
}

/** The cause of a fault as data: a fault keeps its fields, any other error its message. */
export function causeOf(cause: unknown): FaultData | string {
  if (isFault(cause)) return faultData(cause)
  if (cause instanceof Error) return cause.message || cause.name
  if (typeof cause === 'string') return cause
  if (looksLikeFault(cause)) return cause
  try {
    return String(cause)
  } catch {
    return 'a value that cannot be shown'
  }
}

function looksLikeFault(cause: unknown): cause is FaultData {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    'code' in cause &&
    'message' in cause &&
    typeof cause.code === 'string' &&
    typeof cause.message === 'string'
  )
}

/**
 * One line per fact: severity and code with the seed's code, place, message; then frame, cause and fix. The path stands
 * only where no file does, the fix only where the note in the frame has not said it. No line but those of the frame
 * can hold a line end or a control character: a name in a program must not write lines of its own.
 */
export function describeFault(fault: FaultData): string {
  const place = fault.file === undefined ? '' : `${fault.file}${fault.line === undefined ? '' : `:${fault.line}:${fault.column ?? 1}`}`
  const head = [`${fault.severity ?? 'error'} ${fault.code}${fault.rule === undefined ? '' : ` (${fault.rule})`}`, place, fault.message]
  const lines = [oneLine(head.filter((part) => part !== '').join('  '))]
  if (fault.frame !== undefined) lines.push(fault.frame)
  if (fault.path !== undefined && place === '' && !fault.message.includes(fault.path)) lines.push(oneLine(`  at     ${fault.path}`))
  if (fault.cause !== undefined)
    lines.push(oneLine(`  cause  ${typeof fault.cause === 'string' ? fault.cause : `${fault.cause.code} ${fault.cause.message}`}`))
  if (fault.fix !== undefined && !isFixInFrame(fault.frame, fault.fix)) lines.push(oneLine(`  fix    ${fault.fix}`))
  return lines.join('\n')
}

/** Whatever ends a line, moves a cursor or turns the direction of reading. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Control characters as their pictures; those that have none as `\ufffd`. */
function oneLine(text: string): string {
  return text.replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
  })
}

/** A note such as `did you mean "decline"?` is the fix `write "decline"`. */
function isFixInFrame(frame: string | undefined, fix: string): boolean {
  return frame !== undefined && fix.startsWith('write ') && frame.includes(`did you mean ${fix.slice(6)}?`)
}

/** A room's part of the catalogue, and the only way to make its faults. */
export interface FaultFamily<Code extends string> {
  readonly entries: Readonly<Record<Code, CatalogueEntry>>
  make(code: Code, message: string, details?: FaultDetails): Fault
}

/** Declares a room's faults. Verdict and severity come from the entry unless a fault says otherwise. */
export function defineFaults<const Entries extends Record<string, CatalogueEntry>>(
  entries: Entries,
): FaultFamily<Extract<keyof Entries, string>> {
  return {
    entries,
    make(code, message, details = {}) {
      const entry: CatalogueEntry | undefined = entries[code]
      if (entry === undefined) throw new TypeError(`the catalogue has no ${code}`)
      const severity = details.severity ?? entry.severity
      return new Fault(code, message, entry.verdict, severity === undefined ? details : { ...details, severity })
    },
  }
}

/** Any thrown value as a fault: faults as they are, everything else wrapped by `wrap`. */
export function toFault(thrown: unknown, wrap: (message: string, cause: unknown) => Fault): Fault {
  if (isFault(thrown)) return thrown
  const cause = causeOf(thrown)
  return wrap(typeof cause === 'string' ? cause : cause.message, thrown)
}

/** Where the files of this package lie, as stacks name them. */
const PACKAGE_ROOT = import.meta.url.replace(/^file:\/\//, '').replace(/^(.*\/(?:src|dist)\/).*$/s, '$1')

/**
 * Lets the stack of an error begin in the code of whoever called, where that is on it: how a fault came about inside Reflex
 * helps nobody to find the call that it refuses. Worked out when somebody reads it.
 */
function startAtCaller(error: Error): void {
  const written = Object.getOwnPropertyDescriptor(error, 'stack')
  if (written?.get === undefined) return
  Object.defineProperty(error, 'stack', {
    configurable: true,
    get: () => withoutPackageFrames(String(written.get?.call(error))),
    set(value: unknown) {
      Object.defineProperty(error, 'stack', { configurable: true, writable: true, value })
    },
  })
}

function withoutPackageFrames(stack: string): string {
  const lines = stack.split('\n')
  const first = lines.findIndex((line) => /^\s+at /.test(line))
  const firstCaller = lines.findIndex(
    (line, i) => i >= first && ![PACKAGE_ROOT, 'node:internal', '(<anonymous>)'].some((prefix) => line.includes(prefix)),
  )
  return first < 0 || firstCaller < 0 ? stack : [...lines.slice(0, first), ...lines.slice(firstCaller)].join('\n')
}
