import { resolve } from 'node:path'
import { type Fault, faultData, isFault } from '../kernel/index.ts'
import type { Library } from '../library.ts'
import type { Console } from './console.ts'
import { plain } from './documents.ts'
import { EXIT, exitCodeOf } from './exit.ts'
import { factLine } from './layout.ts'
import type { CarryFlags, RunFlags } from './options.ts'
import type { Session } from './session.ts'
import { counted } from './units.ts'

interface Checked {
  readonly file: string
  readonly findings: readonly Fault[]
}

/** `reflex validate FILE…`: everything that is wrong with all of them, in file order; a folder stands for all its programs. */
export async function validate(
  { console, reflex }: Session,
  files: readonly string[],
  flags: CarryFlags & Pick<RunFlags, 'kind' | 'tools'>,
): Promise<number> {
  await reflex.useTools(flags.tools ?? [])
  const checked: Checked[] = []
  for (const file of files) checked.push(...(await check(file, flags.kind, reflex.library, console)))
  const findings = checked.flatMap((one) => one.findings)
  const errors = findings.filter(({ severity }) => severity === 'error')
  if (console.shape !== 'text') {
    const documents = checked.map((one) => ({
      file: one.file,
      valid: !one.findings.some(({ severity }) => severity === 'error'),
      findings: one.findings.map((found) => ({ severity: found.severity, ...faultData(found) })),
    }))
    console.document(plain({ v: 1, files: documents, errors: errors.length, warnings: findings.length - errors.length }))
  } else tell(console, checked)
  const [worst] = errors.map(exitCodeOf).sort((a, b) => b - a)
  return worst === undefined ? EXIT.done : findings.length === 1 && worst === EXIT.wrong ? EXIT.wrong : EXIT.no
}

async function check(path: string, kind: string | undefined, library: Library, console: Console): Promise<Checked[]> {
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
  for (const one of files) {
    const file = console.near(one)
    await attempt(file, async () => void checked.push({ file, findings: (await library.checkCalls(one, kind)).findings }))
  }
  return checked
}

function tell(console: Console, checked: readonly Checked[]): void {
  const all = checked.flatMap(({ findings }) => findings)
  for (const found of all) console.print(console.fault(found, console.out))
  console.print(summary(console, checked, all))
}

function summary(console: Console, checked: readonly Checked[], findings: readonly Fault[]): string[] {
  const { out } = console
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const files = counted(checked.length, 'file')
  const said = [errors === 0 ? undefined : counted(errors, 'error'), warnings === 0 ? undefined : counted(warnings, 'warning')].filter(
    (part) => part !== undefined,
  )
  const [first] = findings
  const ok = out.paint('green', out.mark('done'))
  if (first === undefined) return [`${ok} ${files} valid`]
  const text = `${errors === 0 ? 'valid, ' : ''}${said.join(' and ')} in ${files}`
  return factLine(
    `${errors === 0 ? '  ' : ''}${text}`,
    `${errors === 0 ? `${ok} ` : ''}${text}`,
    [console.command('explain', first.code)],
    out,
  )
}
