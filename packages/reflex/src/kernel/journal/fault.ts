import type { JsonObject } from './value.ts'

/** The reaction to a failure: try again, fail, wait for a person, or report a bug of Reflex. */
export type Verdict = 'retry' | 'fail' | 'wait' | 'bug'

/** The severity of a finding; `info` needs no action. */
export type Severity = 'error' | 'warning' | 'info'

/** A fault as data, for records, log lines and `--json`. Lines and columns count from 1. */
export interface FaultData {
  /** The stable code, `R####`. */
  readonly code: string
  /** The code of the same failure in a seed or reference, such as `INVALID_EDGE`. */
  readonly rule?: string | undefined
  readonly message: string
  readonly verdict: Verdict
  readonly severity?: Severity | undefined
  readonly file?: string | undefined
  readonly line?: number | undefined
  readonly column?: number | undefined
  /** The number of characters to underline from `column`. */
  readonly length?: number | undefined
  /** The source lines around the place, ready to print. */
  readonly frame?: string | undefined
  /** The place in the program or value: a node path or a JSON path. */
  readonly path?: string | undefined
  readonly run?: string | undefined
  /** The fix. */
  readonly fix?: string | undefined
  readonly cause?: FaultData | string | undefined
  readonly data?: JsonObject | undefined
}

/** The details of a fault in addition to its code and message. */
export type FaultDetails = Omit<Partial<FaultData>, 'code' | 'message' | 'cause'> & { readonly cause?: unknown }

/** An entry of the catalogue; `reflex explain CODE` prints it. */
export interface CatalogueEntry {
  readonly title: string
  readonly verdict: Verdict
  readonly severity?: Severity
  /** The time at which it can occur, such as `before a run`. */
  readonly when: string
  /** The codes of seeds, each with its kind: `workflow INVALID_EDGE`. */
  readonly rules?: readonly string[]
  readonly means: string
  readonly often?: string
  readonly fix: string
}

const BRAND = Symbol.for('reflex.fault')

const OPTIONAL = ['rule', 'file', 'line', 'column', 'length', 'frame', 'path', 'run', 'fix', 'data'] as const

/** A failure of Reflex: a code of the catalogue, the place, the cause and the fix. */
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
    // Absent fields are not set, so that they do not appear when an uncaught error is printed.
    const fields = this as unknown as Record<string, unknown>
    for (const field of OPTIONAL) if (details[field] !== undefined) fields[field] = details[field]
    // The whole stack of a bug is needed.
    if (this.verdict !== 'bug') startAtCaller(this)
  }

  /** Returns the text that the command prints: code, place, message, frame and fix. */
  override toString(): string {
    return describeFault(this)
  }

  toJSON(): FaultData {
    return faultData(this)
  }

  /** Node prints the text instead of a list of fields. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return describeFault(this)
  }
}

/** True for a fault, recognized by its brand, also across copies of this package. */
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

/** Returns a fault as plain data, without absent fields. */
export function faultData(fault: FaultData): FaultData {
  const out: Record<string, unknown> = {}
  for (const field of FIELDS) {
    if (fault[field] !== undefined && !(field === 'severity' && fault[field] === 'error')) out[field] = fault[field]
  }
  return out as unknown as FaultData
}

/** Returns the cause of a fault as data: a fault keeps its fields, any other error its message. Never throws, whatever the code of a host has thrown. */
export function causeOf(cause: unknown): FaultData | string {
  try {
    if (looksLikeFault(cause)) return faultData(cause)
  } catch {
    // A getter of the cause throws.
  }
  return thrownMessage(cause)
}

/** Returns the message of what was thrown. Never throws, whatever the code of a host has thrown. */
export function thrownMessage(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown)
  } catch {
    return 'a value that cannot be shown'
  }
}

function looksLikeFault(cause: unknown): cause is FaultData {
  return (
    typeof cause === 'object' &&
    cause !== null &&
    (isFault(cause) || !(cause instanceof Error)) &&
    'code' in cause &&
    'message' in cause &&
    typeof cause.code === 'string' &&
    typeof cause.message === 'string'
  )
}

/**
 * Formats a fault, one line per fact: severity and code with the seed's code, place, message; then frame, cause and fix. The
 * path is shown only without a file, the fix only if the note in the frame does not state it. Only the frame can contain line
 * ends and control characters: a name in a program must not create lines.
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

/** Characters that end a line, move the cursor or change the reading direction. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** Replaces control characters by their pictures, or by `\ufffd`. */
function oneLine(text: string): string {
  return text.replace(CONTROLS, (control) => {
    const code = control.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd'
  })
}

/** True if the frame already states the fix: the note `did you mean "decline"?` equals the fix `write "decline"`. */
function isFixInFrame(frame: string | undefined, fix: string): boolean {
  return frame !== undefined && fix.startsWith('write ') && frame.includes(`did you mean ${fix.slice(6)}?`)
}

/** The catalogue of a room, which makes its faults. */
export interface FaultFamily<Code extends string> {
  readonly entries: Readonly<Record<Code, CatalogueEntry>>
  make(code: Code, message: string, details?: FaultDetails): Fault
  /** Makes a fault that is data about a text and not an error of a caller: it has no stack, which would take most of the time. */
  finding(code: Code, message: string, details?: FaultDetails): Fault
}

/** Declares the faults of a room. Verdict and severity are those of the entry unless a fault states others. */
export function defineFaults<const Entries extends Record<string, CatalogueEntry>>(
  entries: Entries,
): FaultFamily<Extract<keyof Entries, string>> {
  const make = (code: Extract<keyof Entries, string>, message: string, details: FaultDetails = {}): Fault => {
    const entry: CatalogueEntry | undefined = entries[code]
    if (entry === undefined) throw new TypeError(`the catalogue has no ${code}`)
    const severity = details.severity ?? entry.severity
    return new Fault(code, message, entry.verdict, severity === undefined ? details : { ...details, severity })
  }
  return { entries, make, finding: (code, message, details) => withoutStack(() => make(code, message, details)) }
}

function withoutStack(make: () => Fault): Fault {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** Converts a thrown value to a fault: returns faults unchanged and wraps everything else with `wrap`. Throws only what `wrap` throws. */
export function toFault(thrown: unknown, wrap: (message: string, cause: unknown) => Fault): Fault {
  const cause = causeOf(thrown)
  if (typeof cause === 'string') return wrap(cause, cause)
  return isFault(thrown) ? thrown : wrap(cause.message, cause)
}

/** The path of the files of this package in stack traces. */
const PACKAGE_ROOT = import.meta.url.replace(/^file:\/\//, '').replace(/^(.*\/(?:src|dist)\/).*$/s, '$1')

/**
 * Lets the stack of an error begin in the code of the caller, if the stack contains it: the inner frames of Reflex do not help
 * to find the refused call. Computed when the stack is first read.
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
