import { plainJson, counted } from '../../protocol/plain.ts'
import { resolve } from 'node:path'
import { type Fault, faultData, isFault, type Severity } from '../../kernel/index.ts'
import type { CompanionFiles } from '../../programs/language.ts'
import type { Library } from '../../programs/library.ts'
import { countCells } from '../../text/index.ts'
import type { Console } from '../console.ts'
import { companionsNamed, printsText, writeCompanions } from '../companions.ts'
import { EXIT, exitCodeOf } from '../exit.ts'
import { factLine, paragraph } from '../layout.ts'
import type { ContinueFlags, RunFlags } from '../options.ts'
import type { Session } from '../session.ts'

interface Checked {
  readonly file: string
  readonly findings: readonly Fault[]
  readonly isProgram?: boolean
}

/**
 * `reflex validate FILE…`: prints every finding in the files, in file order; a folder stands for all its programs. Runs
 * nothing. A flag of a kind first writes a file beside its programs, such as the adapter of a graph; with `-` that text is all that is on standard
 * output.
 */
export async function validate(
  { console, reflex }: Session,
  files: readonly string[],
  flags: ContinueFlags & Pick<RunFlags, 'kind' | 'tools'>,
): Promise<number> {
  await reflex.useTools(flags.tools ?? [])
  const companions = companionsNamed(console, reflex, files, { ...flags })
  const written = await writeCompanions(console, reflex.library, files, { flags: { ...flags }, companions })
  const checked: Checked[] = []
  for (const file of files) checked.push(...(await check(file, { kind: flags.kind, companions }, reflex.library, console)))
  const findings = checked.flatMap((one) => one.findings)
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (console.shape !== 'text') {
    const documents = checked.map((one) => ({
      file: one.file,
      valid: !one.findings.some(({ severity }) => severity === 'error'),
      findings: one.findings.map((found) => ({ severity: found.severity, ...faultData(found) })),
    }))
    const [warnings, infos] = [countOf(findings, 'warning'), countOf(findings, 'info')]
    const more = written.length === 0 ? {} : { written }
    console.document(plainJson({ v: 1, files: documents, errors: errors.length, warnings, infos, ...more }))
  } else printFindings(console, checked, printsText({ ...flags }))
  const [worst] = errors.map(exitCodeOf).sort((a, b) => b - a)
  return worst === undefined ? EXIT.done : findings.length === 1 && worst === EXIT.wrong ? EXIT.wrong : EXIT.no
}

async function check(
  path: string,
  { kind, companions }: { readonly kind: string | undefined; readonly companions: CompanionFiles },
  library: Library,
  console: Console,
): Promise<Checked[]> {
  const checked: Checked[] = []
  const attempt = async (name: string, take: () => void | Promise<void>): Promise<void> => {
    try {
      await take()
    } catch (thrown) {
      if (!isFault(thrown)) throw thrown
      checked.push({ file: name, findings: [thrown] })
    }
  }
  let files: readonly string[] = []
  await attempt(path, () => void (files = library.files(resolve(console.world.surroundings.cwd, path))))
  const parts = new Set<string>()
  for (const one of files) {
    const file = console.nearPath(one)
    await attempt(file, async () => {
      const { findings, program, parts: others = [] } = await library.checkCalls(one, kind, companions)
      for (const part of others) parts.add(console.nearPath(part))
      checked.push({ file, findings, isProgram: program !== undefined })
    })
  }
  // A part of another program needs to be no program itself; it was checked with that program.
  return checked.filter(({ file, isProgram }) => isProgram === true || !parts.has(file))
}

function countOf(findings: readonly Fault[], severity: Severity): number {
  return findings.filter((found) => found.severity === severity).length
}

function printFindings(console: Console, checked: readonly Checked[], isOutputTaken: boolean): void {
  const all = checked.flatMap(({ findings }) => findings)
  if (isOutputTaken) {
    for (const found of all) console.report(console.fault(found))
    return
  }
  for (const found of all) console.print(console.fault(found, console.out))
  const worst = all.find(({ severity }) => severity === 'error') ?? all.find(({ severity }) => severity === 'warning') ?? all[0]
  console.print(summary(console, checked.length, all, worst))
}

/** Returns the last line. `worst` is the first error, else the first warning, else the first finding. */
function summary(console: Console, files: number, findings: readonly Fault[], worst: Fault | undefined): string[] {
  const { out } = console
  const errors = countOf(findings, 'error')
  const counts = [
    [errors, 'error'],
    [countOf(findings, 'warning'), 'warning'],
    [countOf(findings, 'info'), 'note'],
  ] as const
  const shown = counts.filter(([count]) => count > 0).map(([count, what]) => counted(count, what))
  const ok = errors === 0 ? `${out.mark('done')} ` : ''
  const painted = errors === 0 ? `${out.paint('green', out.mark('done'))} ` : ''
  const inFiles = counted(files, 'file')
  const text = shown.length === 0 ? `${inFiles} valid` : `${errors === 0 ? 'valid, ' : ''}${joinParts(shown)} in ${inFiles}`
  const next = worst === undefined ? [] : [console.command('explain', worst.code)]
  if (countCells(ok) + countCells(text) > out.room) return [...paragraph(`${ok}${text}`, out), ...next.map((command) => `  ${command}`)]
  return factLine(`${ok}${text}`, `${painted}${text}`, next, out)
}

function joinParts(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
