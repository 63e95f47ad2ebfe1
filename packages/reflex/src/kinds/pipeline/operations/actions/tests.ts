import { isList, isObject, type Json } from '../../../../kernel/journal/json.ts'
import { renderText } from '../../language/render.ts'
import { callTool } from '../../contract/asks.ts'
import type { Answer, Ask, Scene } from '../../contract/handler.ts'
import type { Action, Problem } from './action.ts'
import { runWords } from './commands.ts'
import { folderOf } from './files.ts'
import type { Given } from '../../model/action-parameters.ts'

/** What runs the tests of a project, by the file that shows what kind it is; the first that is there. */
const RUNNERS: readonly (readonly [file: string, words: readonly string[]])[] = [
  ['mix.exs', ['mix', 'test']],
  ['package.json', ['npm', 'test', '--silent']],
  ['Makefile', ['make', 'test']],
  ['makefile', ['make', 'test']],
]

/**
 * Runs the tests of a project: the command that the node gives, else what its files show. Red tests are a result, with
 * `passed` false (reference pipeline 4.5); a runner that cannot be started is a failure.
 */
export const runTests: Action = function* (scene, given) {
  const words = yield* wordsOf(scene, given)
  if ('problem' in words) return words
  const ended = yield* runWords(scene, words.argv, folderOf(scene, given), { timeout: given['timeout'] })
  if ('problem' in ended) return ended
  const { code, stdout, stderr } = ended
  const output = stderr === '' ? stdout : stdout === '' ? stderr : `${stdout}\n${stderr}`
  return { result: { passed: code === 0, output, stdout, stderr, exit_code: code, command: words.argv.join(' ') } }
}

function* wordsOf(scene: Scene, given: Given): Generator<Ask, { readonly argv: readonly string[] } | Problem, Answer> {
  const own = commandOf(given['command'])
  if (own.length > 0) return { argv: own }
  const listed = yield* callTool('file.list', { path: folderOf(scene, given), depth: 1 })
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
  const wrong = optionLike(given)
  if (wrong !== undefined) return { problem: wrong }
  return { argv: [...words, ...optionsOf(file ?? '', given)] }
}

/** A command as words: a list, JSON, or text that is split at spaces and never goes through a shell. */
function commandOf(value: Json | undefined): readonly string[] {
  if (value === undefined) return []
  if (isList(value)) return value.map((word) => renderText(word))
  const text = renderText(value).trim()
  if (text.startsWith('[')) {
    try {
      const parsed: unknown = JSON.parse(text)
      if (isList(parsed)) return parsed.map((word) => renderText(word))
    } catch {
      // A command may begin with a bracket: it is words then.
    }
  }
  return text.split(/\s+/).filter((word) => word !== '')
}

function optionLike(given: Given): string | undefined {
  const [name] = ['tags', 'test_file'].filter((one) => renderText(given[one]).startsWith('-'))
  return name === undefined ? undefined : `${name} would be taken for an option`
}

function optionsOf(file: string, given: Given): readonly string[] {
  const [tags, one] = [renderText(given['tags']), renderText(given['test_file'])]
  if (file === 'mix.exs') return [...(tags === '' ? [] : ['--only', tags]), ...(one === '' ? [] : [one])]
  return file === 'package.json' && one !== '' ? ['--', one] : []
}
