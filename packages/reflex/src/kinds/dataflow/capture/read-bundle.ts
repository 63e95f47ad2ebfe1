import type { z } from 'zod'
import { type Fault, isObject } from '../../../kernel/index.ts'
import { checkSchema, quote, readJson } from '../../../text/index.ts'
import { type Bundle, type BundleHeader, CAPTURE_VERSION, type CapturedDecision, type CapturedEvent, type CapturedStep } from './bundle.ts'
import { bundleShape, endShape, headerShape, stepShape } from './bundle-schema.ts'
import { faults } from './faults.ts'

/** A capture, unless its text is wrong. */
export interface ReadBundleResult {
  readonly bundle?: Bundle
  readonly findings: readonly Fault[]
}

/**
 * Reads the text of a capture, as one document or as lines. Never throws. Finds `R1390` for another format or a missing end, and the
 * mistakes of text and shape (`R1001` to `R1015`): unknown fields are refused. Hashes are checked by `preflight`.
 */
export function readBundle(text: string, file?: string): ReadBundleResult {
  const value = parse(text)
  if (value === undefined)
    return isObject(parse(text.slice(0, text.indexOf('\n') + 1))) ? readBundleLines(text.split('\n'), file) : unreadable(text, file)
  const other = otherVersion(value, file)
  if (other !== undefined) return { findings: [other] }
  const findings = checkSchema(bundleShape(), value, { locate: (path) => ({ path: path.join('.'), ...fileOf(file) }) })
  return findings.length > 0 ? { findings } : { bundle: value as Bundle, findings }
}

/** Reads the lines of a capture, without their line ends; an empty line is skipped. Stops at the first line that is wrong. */
export function readBundleLines(lines: Iterable<string>, file?: string): ReadBundleResult {
  const events: CapturedEvent[] = []
  const decisions: CapturedDecision[] = []
  let header: BundleHeader | undefined
  let chain: string | undefined
  let number = 0
  for (const text of lines) {
    number++
    if (text.trim() === '') continue
    if (chain !== undefined) return { findings: [cut('a line follows the end of the capture', file, number)] }
    const value = parse(text)
    if (value === undefined) return { findings: [cut('this line is not JSON', file, number)] }
    const isEnd = isObject(value) && Object.hasOwn(value, 'chain')
    const wrong = header === undefined ? otherVersion(value, file) : undefined
    const shape = header === undefined ? headerShape() : isEnd ? endShape() : stepShape()
    const findings = wrong === undefined ? lineFindings(shape, value, file, number) : [wrong]
    if (findings.length > 0) return { findings }
    if (header === undefined) header = value as BundleHeader
    else if (isEnd) chain = (value as { readonly chain: string }).chain
    else {
      const step = value as CapturedStep
      events.push(step.event)
      decisions.push(step.decision)
    }
  }
  if (header === undefined || chain === undefined) return { findings: [cut('the end of the capture is missing', file, number)] }
  return { bundle: { ...header, events, decisions, chain }, findings: [] }
}

function lineFindings(shape: z.ZodType, value: unknown, file: string | undefined, line: number): Fault[] {
  return checkSchema(shape, value, { locate: (path) => ({ path: path.join('.'), ...fileOf(file), line, column: 1 }) })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Returns the mistakes of a text that is not JSON. Comments are one: a capture has none. */
function unreadable(text: string, file: string | undefined): ReadBundleResult {
  const findings = readJson(text, file).findings.filter(({ severity }) => severity === 'error')
  return { findings: findings.length > 0 ? findings : [cut('the capture is not JSON; comments are not allowed in it', file, 1)] }
}

function fileOf(file: string | undefined): { readonly file?: string } {
  return file === undefined ? {} : { file }
}

function cut(message: string, file: string | undefined, line: number): Fault {
  return faults.make('R1390', message, { ...fileOf(file), line, column: 1, fix: 'export the run again' })
}

/** Returns the fault of a capture in another format. One without a version has a wrong shape. */
function otherVersion(value: unknown, file: string | undefined): Fault | undefined {
  const version = isObject(value) ? value.capture_version : undefined
  return typeof version === 'string' && version !== CAPTURE_VERSION ? versionFault(version, file) : undefined
}

/** Returns the fault of a capture in a format that this runtime does not read. */
export function versionFault(version: string, file?: string): Fault {
  const message = `the capture has the format ${quote(version)}; this runtime reads ${quote(CAPTURE_VERSION)}`
  return faults.make('R1390', message, {
    rule: 'replay.unsupported_capture_version',
    ...fileOf(file),
    fix: 'use the version of Reflex that wrote it',
  })
}
