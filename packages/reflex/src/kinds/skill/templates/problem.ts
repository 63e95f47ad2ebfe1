import type { Fault, FaultDetails } from '../../../kernel/index.ts'
import { didYouMean, type TextSpan } from '../../../text/index.ts'
import { templateFaults } from './faults.ts'

/** The rules of templates (reference skill 1.5, 1.6), each with its code. */
export const TEMPLATE_RULES = {
  E_TEMPLATE_SYNTAX: 'R1430',
  E_TEMPLATE_FILTER: 'R1430',
  E_TEMPLATE_REF: 'R1431',
  E_SHELL_OPERATORS: 'R1432',
  E_COMMAND: 'R1432',
  E_DYNAMIC_COMMAND: 'R1433',
  E_DYNAMIC_OPTION: 'R1433',
  E_NESTED_SHELL: 'R1433',
  E_URL_AUTHORITY: 'R1434',
  W_UNTYPED_SLOT: 'R1435',
  E_SECRET_TEXT: 'R1436',
} as const

export type TemplateRule = keyof typeof TEMPLATE_RULES

/** A mistake in the text of a template, with its span in the text (UTF-16 units). */
export interface TemplateProblem extends TextSpan {
  readonly rule: TemplateRule
  readonly message: string
  readonly fix: string
  /** The name that was probably meant. */
  readonly guess?: string | undefined
}

/** Returns the fault of a problem; `place` is that of its span. */
export function problemFault({ rule, message, fix, guess }: TemplateProblem, place: (note: string | undefined) => FaultDetails): Fault {
  return templateFaults.finding(TEMPLATE_RULES[rule], message, { ...place(didYouMean(guess)), rule, fix })
}
