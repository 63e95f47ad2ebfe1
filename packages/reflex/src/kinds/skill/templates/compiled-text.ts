import { quote } from '../../../text/index.ts'
import { countUps, pathProblem } from './paths.ts'
import { type Piece, renderText, renderUrlPart, type ValuePiece } from './pieces.ts'
import type { TemplateProblem } from './problem.ts'
import { refused, rendered, type Result, tooLarge } from './rendered.ts'
import type { TemplateValues } from './scope.ts'
import { checkUrl } from './url-check.ts'
import { findUrls, type UrlLiterals } from './url-literals.ts'

/** A text with values: one argument of a command, or a text inside the arguments of a tool. */
export interface CompiledText {
  readonly pieces: readonly Piece[]
  readonly urls: UrlLiterals
  /** Returns the text with its values. Never throws. */
  render(values: TemplateValues): Result<string>
}

/** Compiles the pieces of one text. Values in URLs are encoded, and their hosts and paths are checked (reference skill 1.6). */
export function compileText(pieces: readonly Piece[]): { readonly text: CompiledText; readonly problems: readonly TemplateProblem[] } {
  const { urls, problems } = findUrls(pieces)
  return { text: { pieces, urls, render: (values) => renderPieces(pieces, urls, values) }, problems }
}

function renderPieces(pieces: readonly Piece[], urls: UrlLiterals, values: TemplateValues): Result<string> {
  const state: Rendering = { text: '', probe: '', urls: [] }
  for (const piece of pieces) {
    if (piece.kind === 'text') {
      for (const start of urls.starts)
        if (start.piece === piece) state.urls.push([state.text.length + start.offset, state.probe.length + start.offset])
      state.text += piece.text
      state.probe += piece.text
    } else {
      const failure = addValue(state, piece, urls, values)
      if (failure !== undefined) return failure
    }
    const large = tooLarge(state.text)
    if (large !== undefined) return large
  }
  return checkWhole(state, pieces)
}

interface Rendering {
  text: string
  /** The same text with "x" for each value: the values must not add segments to a path. */
  probe: string
  /** The offsets of the URLs in both texts. */
  readonly urls: (readonly [text: number, probe: number])[]
}

function addValue(state: Rendering, piece: ValuePiece, urls: UrlLiterals, values: TemplateValues): Failure | undefined {
  const text = renderPiece(piece, urls, values)
  if (!text.ok) return text
  state.text += text.value
  state.probe += 'x'
  return undefined
}

/** Returns the text of one value at its place: encoded in a URL, and checked in the host of one and as a path. */
export function renderPiece(piece: ValuePiece, { positions }: UrlLiterals, values: TemplateValues): Result<string> {
  const position = positions.get(piece)
  const text = position === 'rest' ? renderUrlPart(piece, values) : renderText(piece, values)
  if (!text.ok) return text
  const name = piece.reference.text
  if (position === 'authority' && !/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(text.value))
    return refused('url_authority', `the value of ${quote(name)} cannot be part of the host of a URL`, name)
  return (position === undefined ? checkPath(piece, text.value) : undefined) ?? text
}

type Failure = ReturnType<typeof refused>

/** Returns the failure of a value that leads outside its folder, if its slot is a path. */
export function checkPath({ reference: { slot, text: name } }: ValuePiece, value: unknown): Failure | undefined {
  if (slot?.type !== 'path') return undefined
  const problem = typeof value === 'string' ? pathProblem(value) : 'is not a text'
  return problem === undefined ? undefined : refused('path_escape', `the path ${quote(name)} ${problem}`, name)
}

function checkWhole({ text, probe, urls }: Rendering, pieces: readonly Piece[]): Result<string> {
  const hasPath = pieces.some((piece) => piece.kind === 'value' && piece.reference.slot?.type === 'path')
  if (hasPath && countUps(text) > countUps(probe)) return refused('path_escape', 'the values together are the segment ".."')
  for (const [at, inProbe] of urls) {
    const failure = checkUrl(text.slice(at), probe.slice(inProbe))
    if (failure !== undefined) return failure
  }
  return rendered(text)
}
