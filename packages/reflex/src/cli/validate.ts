import { relative } from 'node:path'
import { type Fault, faultData, isFault } from '../kernel/index.ts'
import { describeFault } from '../kernel/index.ts'
import type { Console } from './console.ts'
import { plain } from './documents.ts'
import { EXIT, exitCodeOf } from './exit.ts'
import { cropFrame } from './crop.ts'
import type { CarryFlags } from './options.ts'
import type { Session } from './session.ts'
import { counted } from './units.ts'

interface Checked {
  readonly file: string
  readonly findings: readonly Fault[]
}

/** `reflex validate FILE…`: everything that is wrong with all of them, in file order. */
export async function validate({ console, reflex }: Session, files: readonly string[], flags: CarryFlags & { readonly kind?: string }): Promise<number> {
  const checked: Checked[] = []
  for (const file of files) checked.push(await check(file, flags.kind, (path, kind) => reflex.library.check(path, kind), console))
  const findings = checked.flatMap((one) => one.findings)
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (console.shape !== 'text') {
    const documents = checked.map((one) => ({ file: one.file, valid: !one.findings.some(({ severity }) => severity === 'error'), findings: one.findings.map((found) => ({ severity: found.severity, ...faultData(found) })) }))
    console.document(plain({ v: 1, files: documents, errors: errors.length, warnings: findings.length - errors.length }))
  } else tell(console, checked)
  const [worst] = errors.map(exitCodeOf).sort((a, b) => b - a)
  return worst === undefined ? EXIT.done : findings.length === 1 && worst === EXIT.wrong ? EXIT.wrong : EXIT.no
}

async function check(path: string, kind: string | undefined, library: (path: string, kind?: string) => Promise<Checked>, console: Console): Promise<Checked> {
  const { cwd } = console.world.surroundings
  try {
    const { file, findings } = await library(path, kind)
    return { file: near(cwd, file), findings }
  } catch (thrown) {
    if (isFault(thrown)) return { file: path, findings: [thrown] }
    throw thrown
  }
}

/** As a person would name it. */
function near(cwd: string, file: string): string {
  const path = relative(cwd, file)
  return path === '' || path.startsWith('..') ? file : path
}

function tell(console: Console, checked: readonly Checked[]): void {
  const { out, world } = console
  const { cwd } = world.surroundings
  for (const { findings } of checked) {
    for (const found of findings) {
      const shown = { ...faultData(found), severity: found.severity, ...(found.file === undefined ? {} : { file: near(cwd, found.file) }) }
      console.print(console.fault({ ...shown, frame: cropFrame(shown.frame, out.columns) }, out))
    }
  }
  const all = checked.flatMap(({ findings }) => findings)
  console.print([summary(console, checked, all)])
}

function summary({ out }: Console, checked: readonly Checked[], findings: readonly Fault[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const files = counted(checked.length, 'file')
  const said = [errors === 0 ? undefined : counted(errors, 'error'), warnings === 0 ? undefined : counted(warnings, 'warning')].filter((part) => part !== undefined)
  const [first] = findings
  if (first === undefined) return `${out.paint('green', out.mark('done'))} ${files} valid`
  const ok = errors === 0 ? `${out.paint('green', out.mark('done'))} valid, ` : ''
  return `${ok}${said.join(' and ')} in ${files} ${out.text('·')} reflex explain ${first.code}`
}

export { describeFault }
