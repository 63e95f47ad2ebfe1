import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { templateFaults } from './faults.ts'

/** The reasons for which a template has no text or value, each with its code. All are outcomes: rendering never throws. */
const REASONS = {
  template_unbound: 'R1437',
  template_type: 'R1438',
  arg_option_injection: 'R1439',
  arg_unencodable: 'R1439',
  url_authority: 'R1439',
  path_escape: 'R1439',
  arg_too_large: 'R1440',
} as const

export type RenderReason = keyof typeof REASONS

/** The reason why a template was not rendered. The step that needs it is not started. Its message never has the value. */
export interface RenderFailure {
  readonly reason: RenderReason
  readonly message: string
  /** The reference that has no usable value, as it is written. */
  readonly reference?: string | undefined
}

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: RenderFailure }

/** The largest argument in bytes of UTF-8 (reference skill 1.5). */
export const MAX_RENDERED = 32 * 1024

export function rendered<T>(value: T): Result<T> {
  return { ok: true, value }
}

export function refused(
  reason: RenderReason,
  message: string,
  reference?: string,
): { readonly ok: false; readonly failure: RenderFailure } {
  return { ok: false, failure: { reason, message, reference } }
}

/** Returns the failure of a text or a value that is longer than the limit; undefined otherwise. */
export function tooLarge(text: string): { readonly ok: false; readonly failure: RenderFailure } | undefined {
  // A UTF-16 unit has one byte or more, so that most texts are not encoded to be measured.
  const isLarge = text.length > MAX_RENDERED || (text.length * 3 > MAX_RENDERED && Buffer.byteLength(text) > MAX_RENDERED)
  return isLarge ? refused('arg_too_large', `the argument is larger than ${MAX_RENDERED / 1024} KiB`) : undefined
}

/** Returns the fault of a failure, for a run that ends with it. */
export function renderFault({ reason, message, reference }: RenderFailure, details: FaultDetails = {}): Fault {
  const code = REASONS[reason]
  const rule = reason === 'template_type' ? 'E_TEMPLATE_TYPE' : reason
  return templateFaults.make(code, message, { rule, ...(reference === undefined ? {} : { data: { reference } }), ...details })
}
