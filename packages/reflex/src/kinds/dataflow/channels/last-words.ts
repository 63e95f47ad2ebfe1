import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { quote } from '../../../text/index.ts'
import type { LineProcessEnd } from '../../../tools/index.ts'

/** The most characters of a line that is quoted. */
const MOST = 200
/** The beginning of a line that names an error, and the words of other lines that say what is wrong, as shells and sandboxes write them. */
const NAMES_ERROR = /^[\w$.]*(?:Error|Exception)\b/
const SAYS_WHY = /error|exception|cannot |can't |not found|no such |denied|fatal|panic/i
/** The endings of files that a command names to run them. */
const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|pl|php|sh|lua|jar)$/

/** Returns how a process ended: its exit code or its signal, and the line of its errors that says what is wrong. */
export function endText({ code, signal, stderr }: LineProcessEnd): string {
  const words = reasonLine(stderr)
  return `${signal === null ? `exit ${code ?? 0}` : `ended by ${signal}`}${words === '' ? '' : `, ${words}`}`
}

/**
 * Returns the first line that names an error. Without one, the last line; that of Node's version, which follows every error that ends Node, is
 * left out.
 */
function reasonLine(stderr: string): string {
  const lines = stderr.split('\n').map((line) => line.trim())
  const said = lines.filter((line) => line !== '' && !/^Node\.js v\d/.test(line))
  const line = said.find((one) => NAMES_ERROR.test(one)) ?? said.find((one) => SAYS_WHY.test(one)) ?? said.at(-1) ?? ''
  return line.slice(0, MOST)
}

/** Returns the file that a command should run and that does not exist: its path, and what to write. Undefined if there is none. */
export function missingScript(command: readonly string[], folder: string): { readonly why: string; readonly fix: string } | undefined {
  const [program = '', ...words] = command
  const named = [...(program.includes('/') ? [program] : []), ...words.filter((word) => !word.startsWith('-') && SCRIPT.test(word))]
  const missing = named.find((word) => !existsSync(resolve(folder, word)))
  if (missing === undefined) return undefined
  return {
    why: `there is no file ${resolve(folder, missing)}`,
    fix: `correct ${quote(missing)} in the command: a path is from the work folder ${folder}, or absolute`,
  }
}
