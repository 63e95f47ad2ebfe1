import { isList, isObject, type Json } from '../../../../kernel/index.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Answer, Ask, NodeContext } from '../../contract/handler.ts'
import type { Action, ActionProblem } from './action.ts'
import { runCommand } from './shell-and-git.ts'
import { folderOf } from './files.ts'
import type { ParameterValues } from '../../model/action-parameters.ts'

/** The test command of a project, by the file that shows its kind; the first existing file counts. */
const RUNNERS: readonly (readonly [file: string, words: readonly string[]])[] = [
  ['mix.exs', ['mix', 'test']],
  ['package.json', ['npm', 'test', '--silent']],
  ['Makefile', ['make', 'test']],
  ['makefile', ['make', 'test']],
]

/**
 * Runs the tests of a project: the command that the node states, otherwise the one for its files. Failing tests are a result
 * with `passed` false (reference pipeline 4.5); a command that cannot start is a failure.
 */
export const runTests: Action = function* (context, params) {
  const words = yield* testCommand(context, params)
  if ('problem' in words) return words
  const ended = yield* runCommand(context, words.argv, folderOf(context, params), { timeout: params['timeout'] })
  if ('problem' in ended) return ended
  const { code, stdout, stderr } = ended
  const output = stderr === '' ? stdout : stdout === '' ? stderr : `${stdout}\n${stderr}`
  return { result: { passed: code === 0, output, stdout, stderr, exit_code: code, command: words.argv.join(' ') } }
}

function* testCommand(
  context: NodeContext,
  params: ParameterValues,
): Generator<Ask, { readonly argv: readonly string[] } | ActionProblem, Answer> {
  const stated = commandOf(params['command'])
  if (stated.length > 0) return { argv: stated }
  const listed = yield* callTool('file.list', { path: folderOf(context, params), depth: 1 })
  if (listed.error !== undefined) return { problem: listed.error.message }
  const { entries = [] } = isObject(listed.ok) ? listed.ok : {}
  const names = new Set((isList(entries) ? entries : []).map((entry) => (isObject(entry) ? renderText(entry['path']) : '')))
  const [file, words] = RUNNERS.find(([name]) => names.has(name)) ?? []
  if (words === undefined)
    return {
      problem: `it has no command, and no ${RUNNERS.map(([name]) => name)
        .slice(0, 3)
        .join(', ')} shows one`,
    }
  const problem = optionProblem(params)
  if (problem !== undefined) return { problem }
  return { argv: [...words, ...optionsOf(file ?? '', params)] }
}

/** Returns a command as words: from a list, JSON, or text split at spaces. It never runs through a shell. */
function commandOf(value: Json | undefined): readonly string[] {
  if (value === undefined) return []
  if (isList(value)) return value.map((word) => renderText(word))
  const text = renderText(value).trim()
  if (text.startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(text)
      if (isList(parsed)) return parsed.map((word) => renderText(word))
    } catch {
      // The text is a command that begins with a bracket.
    }
  }
  return text.split(/\s+/).filter((word) => word !== '')
}

function optionProblem(params: ParameterValues): string | undefined {
  const [name] = ['tags', 'test_file'].filter((one) => renderText(params[one]).startsWith('-'))
  return name === undefined ? undefined : `${name} would be read as an option`
}

function optionsOf(file: string, params: ParameterValues): readonly string[] {
  const [tags, one] = [renderText(params['tags']), renderText(params['test_file'])]
  if (file === 'mix.exs') return [...(tags === '' ? [] : ['--only', tags]), ...(one === '' ? [] : [one])]
  return file === 'package.json' && one !== '' ? ['--', one] : []
}
