import { plainJson, counted } from '../../protocol/plain.ts'
import type { Check } from '../doctor/check.ts'
import { checkConfig, checksOf } from '../doctor/checks.ts'
import { type Setting, settingsOf } from '../doctor/settings.ts'
import type { Console } from '../console.ts'
import { EXIT } from '../exit.ts'
import { factLine, layoutRow, table, tabSeparated } from '../layout.ts'
import type { Look } from '../look.ts'
import type { Mark } from '../../pictures/mark.ts'
import type { ContinueFlags } from '../options.ts'

/** The names of results in the document. */
const CHECK_RESULTS: Readonly<Record<Check['mark'], string>> = { done: 'ok', warns: 'warning', failed: 'failed', skipped: 'none' }

/**
 * `reflex doctor`: prints the state of this machine, and every setting with its origin. Exits with 0 if Reflex can work
 * here and with 3 if it cannot. It only reads files and the environment: it uses no network and changes nothing.
 */
export async function doctor(console: Console, flags: ContinueFlags): Promise<number> {
  const { config, checks: first } = checkConfig(console)
  const checks = [...(await checksOf(console, flags, config)), ...first].map((check) => {
    return check.fix === undefined ? check : { ...check, fix: console.pasted(check.fix) }
  })
  const settings = settingsOf(console.world, flags, config)
  const works = checks.every(({ mark }) => mark !== 'failed')
  if (console.shape !== 'text') {
    const found = checks.map(({ name, mark, text, fix }) => ({ name, found: CHECK_RESULTS[mark], text, fix }))
    console.document(plainJson({ v: 1, works, version: console.world.version, checks: found, settings }))
  } else if (console.out.terminal) console.print(lines(console, checks, settings))
  else console.world.out.write(tabSeparated(rows(checks, settings)))
  return works ? EXIT.done : EXIT.cannot
}

function lines({ out, world }: Console, checks: readonly Check[], settings: readonly Setting[]): string[] {
  const count = (mark: Mark): number => checks.filter((check) => check.mark === mark).length
  const [failed, warned] = [count('failed'), count('warns')]
  const name = `reflex ${world.version}`
  const verdict = failed > 0 ? `cannot work here: ${counted(failed, 'failure')}` : 'can work here'
  return [
    ...factLine(name, out.paint('bold', name), [verdict, ...(warned === 0 ? [] : [counted(warned, 'warning')])], out),
    ...checks.flatMap((check) => checkLines(check, out)),
    '',
    ...table(
      ['setting', 'value', 'from'],
      settings.map(({ name, value = '', from }) => [name, value === '' ? out.text('–') : value, value === '' ? '' : from]),
      out,
    ),
  ]
}

/** Puts the fix on a separate line, so that it can be copied. */
function checkLines({ name, mark, text, fix }: Check, out: Look): string[] {
  return [
    ...layoutRow({ depth: 0, mark, node: name, text }, out),
    ...(fix === undefined ? [] : [`${' '.repeat(out.isNarrow ? 6 : 18)}${out.text(fix)}`]),
  ]
}

function rows(checks: readonly Check[], settings: readonly Setting[]): string[][] {
  return [
    ...checks.map(({ name, mark, text, fix = '' }) => ['check', name, CHECK_RESULTS[mark], text, fix]),
    ...settings.map(({ name, value = '', from }) => ['setting', name, value, from]),
  ]
}
