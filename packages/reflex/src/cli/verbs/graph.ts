import { plainJson, counted } from '../../protocol/plain.ts'
import { existsSync, statSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { faults } from '../../runs/faults.ts'
import { BUILT_IN } from '../../app/kinds.ts'
import { type Fault, faultData } from '../../kernel/index.ts'
import type { Console } from '../console.ts'
import { EXIT, exitCodeOf } from '../exit.ts'
import { listOf, rowsOf } from '../graph/list.ts'
import type { Legend, Picture } from '../../pictures/picture.ts'
import {
  type Drawing,
  drawingOfProgram,
  drawingOfRun,
  factsOf,
  graphDocument,
  isTooLarge,
  svgOf,
  TOO_LARGE,
} from '../../pictures/drawing.ts'
import { drawInCells } from '../graph/terminal.ts'
import { factLine, paragraph, tabSeparated, commandHint } from '../layout.ts'
import type { ContinueFlags } from '../options.ts'
import { type Session, withReflex, withStoredRuns } from '../session.ts'
import { size } from '../units.ts'

export interface GraphFlags extends ContinueFlags {
  readonly kind?: string
  readonly tools?: readonly string[]
  /** A file, or `-` for standard output. */
  readonly svg?: string
}

/**
 * `reflex graph PROGRAM` and `reflex graph RUN[@N]`: shows a program as a picture. On a terminal it is a drawing, or a
 * list if the drawing does not fit; in a pipe a table of nodes and edges; with `--svg` an image. A name that is not a
 * file is taken for a run.
 */
export async function graph(console: Console, what: string, flags: GraphFlags): Promise<number> {
  const { cwd } = console.world.surroundings
  const file = flags.kind !== undefined || existsSync(resolve(cwd, what)) || BUILT_IN.ofFile(what) !== undefined || /[/\\]/.test(what)
  if (!file) return withStoredRuns(console, flags, async (session) => show(console, await drawingOfRun(session.reflex, what), flags))
  return withReflex(console, { ...flags, store: 'memory:' }, async (session) => {
    await session.reflex.useTools(flags.tools ?? [])
    const { errors, drawn } = await programOf(session, what, flags.kind)
    return drawn === undefined ? printErrors(console, what, errors) : show(console, drawn, flags)
  })
}

async function programOf(
  { console, reflex: { library, kinds } }: Session,
  what: string,
  kindName: string | undefined,
): Promise<{ readonly errors: readonly Fault[]; readonly drawn?: Drawing }> {
  const { file, program, findings } = await library.check(resolve(console.world.surroundings.cwd, what), kindName)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const name = kinds.ofFile(file, kindName)?.name ?? ''
  if (program === undefined || errors.length > 0) return { errors }
  return {
    errors,
    drawn: drawingOfProgram(what, { kind: name, id: program.id, def: program.def }, kinds.view(name)),
  }
}

/** Prints the errors of a program as `validate` does, because a program with errors has no reliable picture. */
function printErrors(console: Console, what: string, errors: readonly Fault[]): number {
  const [first] = errors
  if (console.shape !== 'text') console.document(plainJson({ v: 1, error: first && faultData(first), findings: errors.map(faultData) }))
  else {
    for (const found of errors) console.report(console.fault(found))
    console.report(
      factLine(counted(errors.length, 'error'), counted(errors.length, 'error'), [console.command('validate', what)], console.err),
    )
  }
  return first === undefined ? EXIT.no : Math.max(EXIT.no, exitCodeOf(first))
}

async function show(console: Console, drawn: Drawing, { svg }: GraphFlags): Promise<number> {
  const { out } = console
  if (svg !== undefined) await image(console, drawn, svg)
  else if (console.shape !== 'text') console.document(graphDocument(drawn))
  else if (!out.terminal) console.world.out.write(tabSeparated(drawn.pictures.flatMap(rowsOf)))
  else
    for (const [i, picture] of drawn.pictures.entries())
      console.print([...(i === 0 ? [] : ['']), ...(await lines(console, drawn, picture, i))])
  return EXIT.done
}

async function lines(console: Console, { what, facts, pictures }: Drawing, picture: Picture, i: number): Promise<string[]> {
  const { out } = console
  const name = out.text(picture.program)
  const line = factLine(name, out.paint('bold', name), i === 0 && facts.length > 0 ? facts : factsOf(picture), out)
  const changes = picture.changes.length === 0 ? [] : paragraph(out.text(`changed by the run: ${picture.changes.join(', ')}`), out)
  const head = [...line, ...changes]
  const large = isTooLarge(picture)
  const drawing = large || !out.utf8 ? undefined : await drawInCells(picture, out)
  if (drawing !== undefined) return [...head, '', ...drawing, ...(i === pictures.length - 1 ? legend(console, picture) : [])]
  const why = large
    ? TOO_LARGE
    : out.utf8
      ? `the drawing needs more than ${counted(out.columns, 'column')}`
      : 'the drawing needs a terminal with UTF-8'
  const hint = !large && i === 0 ? [commandHint(out, 'draw', console.command('graph', what, '--svg', 'graph.svg'))] : []
  return [...head, ...listOf(picture, out), ...paragraph(out.text(why), out).map((line) => out.paint('dim', line)), ...hint]
}

const RUN_LEGEND: Legend = { taken: 'taken', open: 'open', closed: 'closed' }

function legend({ out }: Console, { showsRun, legend: words = RUN_LEGEND }: Picture): string[] {
  return showsRun ? ['', out.paint('dim', out.text(`━ ${words.taken} · ─ ${words.open} · ╌ ${words.closed}`))] : []
}

/** Writes the SVG. Throws `R2035` for a picture that is too large to draw. */
export async function image(console: Console, drawn: Drawing, target: string): Promise<void> {
  if (target === '-' && console.shape !== 'text')
    throw faults.make('R2031', `--svg - and --${console.shape} both want standard output`, { fix: 'name a file for the image' })
  const svg = await svgOf(drawn)
  if (target === '-') return console.world.out.write(svg)
  writeImage(resolve(console.world.surroundings.cwd, target), svg)
  if (console.shape !== 'text') console.document(plainJson({ v: 1, file: target, bytes: Buffer.byteLength(svg) }))
  else if (!console.quiet)
    console.report(factLine(console.err.text(target), console.err.text(target), [`written, ${size(Buffer.byteLength(svg))}`], console.err))
}

function writeImage(file: string, svg: string): void {
  try {
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) throw new Error('it is not a regular file')
    writeFileSync(file, svg)
  } catch (cause) {
    throw faults.make('R5040', `the image ${file} cannot be written`, { file, cause, fix: 'name a writable file' })
  }
}
