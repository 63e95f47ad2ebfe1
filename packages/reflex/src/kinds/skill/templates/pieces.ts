import type { Json } from '../../../kernel/index.ts'
import { quote, type TextSpan } from '../../../text/index.ts'
import { applyFilters, encodeUrl, type Filter, scalarText, UNFIT } from './filters.ts'
import type { ParsedTemplate, Placeholder } from './parse.ts'
import type { TemplateProblem } from './problem.ts'
import { checkReference, type Reference, valueOf } from './references.ts'
import { refused, rendered, type Result, tooLarge } from './rendered.ts'
import type { TemplateScope, TemplateValues } from './scope.ts'

/** Plain text of a compiled template. */
export interface TextPiece extends TextSpan {
  readonly kind: 'text'
  readonly text: string
  /** True for text that no syntax of a command applies to. */
  readonly isEscaped: boolean
}

/** The place of a value in a compiled template. */
export interface ValuePiece extends TextSpan {
  readonly kind: 'value'
  readonly reference: Reference
  readonly filters: readonly Filter[]
}

export type Piece = TextPiece | ValuePiece

/** Returns the pieces of a parsed template, with the problems of its references and of secrets inside text. */
export function checkParts(
  template: ParsedTemplate,
  scope: TemplateScope,
): { readonly pieces: readonly Piece[]; readonly problems: readonly TemplateProblem[] } {
  const problems = [...template.problems]
  const pieces: Piece[] = []
  for (const part of template.parts) {
    if (part.kind === 'literal') {
      const { text, isEscaped, offset, length } = part
      pieces.push({ kind: 'text', text, isEscaped, offset, length })
      continue
    }
    const reference = checkReference(part.reference, scope)
    if ('rule' in reference) problems.push(reference)
    else pieces.push(valuePiece(part, reference))
  }
  return { pieces, problems }
}

function valuePiece({ filters, offset, length }: Placeholder, reference: Reference): ValuePiece {
  return { kind: 'value', reference, filters, offset, length }
}

/** Returns the problems of secrets that are not a whole value, and of secrets and sensitive values that are changed by a filter. */
export function secretProblems(pieces: readonly Piece[], isAllowed: boolean): TemplateProblem[] {
  return pieces.flatMap((piece): TemplateProblem[] => {
    if (piece.kind === 'text') return []
    if (piece.reference.slot?.type !== 'secret_ref') return sensitiveProblems(piece)
    if (isAllowed && pieces.length === 1 && piece.filters.length === 0) return []
    const { offset, length } = piece
    const fix = isAllowed ? `make {{${piece.reference.text}}} the whole argument` : 'remove it: only an argument of a tool can be a secret'
    return [{ rule: 'E_SECRET_TEXT', message: `the secret ${quote(piece.reference.text)} would be part of a text`, fix, offset, length }]
  })
}

/** A sensitive value is sealed while a template is rendered, so that no filter can change it. */
function sensitiveProblems({ reference: { slot, text }, filters, offset, length }: ValuePiece): TemplateProblem[] {
  const [changing] = filters.filter(({ name }) => name !== 'default')
  if (slot?.sensitive !== true || changing === undefined) return []
  const message = `the sensitive value ${quote(text)} cannot be changed by a filter`
  return [{ rule: 'E_SECRET_TEXT', message, fix: `remove "| ${changing.name}"`, offset, length }]
}

/** Returns the JSON value of a placeholder after its filters. */
export function renderValue({ reference, filters }: ValuePiece, values: TemplateValues): Result<Json> {
  const value = applyFilters(valueOf(reference, values), filters)
  if (value === undefined) return refused('template_unbound', `${quote(reference.text)} has no value`, reference.text)
  if (value === UNFIT) return refused('template_type', `a filter cannot change the value of ${quote(reference.text)}`, reference.text)
  return rendered(value)
}

/** Returns the text of a placeholder inside other text. */
export function renderText(piece: ValuePiece, values: TemplateValues): Result<string> {
  const value = renderValue(piece, values)
  if (!value.ok) return value
  const text = scalarText(value.value)
  const { text: name } = piece.reference
  if (text === undefined) return refused('template_type', `the value of ${quote(name)} is not a text, a number, true or false`, name)
  return tooLarge(text) ?? rendered(text)
}

/** Returns the text of a placeholder in the path or the query of a URL. A value that `| url` encoded is not encoded again. */
export function renderUrlPart(piece: ValuePiece, values: TemplateValues): Result<string> {
  const text = renderText(piece, values)
  if (!text.ok || piece.filters.some(({ name }) => name === 'url')) return text
  const encoded = encodeUrl(text.value)
  const { text: name } = piece.reference
  return encoded === undefined ? refused('arg_unencodable', `the value of ${quote(name)} has half a character`, name) : rendered(encoded)
}
