import { isAbsolute, join } from 'node:path'
import { isFault } from '../../kernel/index.ts'
import { count, filePath, flag, namedArguments, withDefault, text, word } from '../arguments.ts'
import { fileList } from './list.ts'
import { readText } from './read.ts'
import { matchesGlob } from '../glob.ts'
import { readCapability } from '../paths.ts'
import { defineTool, type Tool, type ToolCall } from '../tool.ts'

const MOST_DEPTH = 32
const MOST_FILES = 20_000
/** The most bytes of one searched file, and of all searched files together. */
const LARGEST = 1_000_000
const MOST_BYTES_TOTAL = 64_000_000
/** The most characters of a line in a match. */
const MOST_LINE = 300

type Match = { readonly path: string; readonly line: number; readonly text: string }

/**
 * Searches the files of a folder for a text: `{path, matches: [{path, line, text}], files, truncated}`, sorted by name.
 * Files that are not text, too large or not granted are skipped.
 */
export const fileSearch = (home?: string): Tool =>
  defineTool({
    name: 'file.search',
    description:
      'Searches the files below a folder of the work folder for a text. glob: only in files with such a path, for example src/**/*.ts. ignore_case: true to ignore case. limit: the maximum number of matches.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({
      pattern: { ...text('the text to search for'), read: (value) => (typeof value === 'string' && value !== '' ? value : undefined) },
      path: withDefault(filePath(home), '.'),
      in: withDefault(word('work', 'run'), 'work'),
      glob: withDefault(text('names of files, with * and **'), '**'),
      ignore_case: withDefault(flag(), false),
      limit: withDefault(count(1, 1000), 200),
    }),
    needs: (args, place) => [readCapability(args.path, args.in, place)],
    async run(args, call) {
      const paths = await filesBelow(args.path, args.in, call, home)
      const wanted = args.ignore_case ? args.pattern.toLowerCase() : args.pattern
      const matches: Match[] = []
      let left = MOST_BYTES_TOTAL
      let files = 0
      for (const path of paths.filter((one) => matchesGlob(args.glob, one))) {
        if (matches.length > args.limit || left <= 0) break
        const source = await textOrNothing(isAbsolute(path) ? path : join(args.path, path), args.in, call)
        if (source === undefined) continue
        left -= source.length
        files += 1
        for (const [i, line] of source.split('\n').entries()) {
          if ((args.ignore_case ? line.toLowerCase() : line).includes(wanted))
            matches.push({ path, line: i + 1, text: line.slice(0, MOST_LINE) })
        }
      }
      const truncated = matches.length > args.limit || left <= 0
      return { path: args.path, matches: matches.slice(0, args.limit), files, truncated }
    },
    says: (args, { matches }) => `${args.path}, ${matches.length === 1 ? '1 match' : `${matches.length} matches`}`,
  })

async function filesBelow(path: string, base: 'work' | 'run', call: ToolCall, home: string | undefined): Promise<readonly string[]> {
  const listed = await fileList(home).run(
    { path, in: base, depth: MOST_DEPTH, limit: MOST_FILES, skip: ['.git', '.reflex', 'node_modules'] },
    call,
  )
  const { entries } = listed as { readonly entries: readonly { readonly path: string; readonly type: string }[] }
  return entries.filter(({ type }) => type === 'file').map((entry) => entry.path)
}

async function textOrNothing(path: string, base: 'work' | 'run', call: ToolCall): Promise<string | undefined> {
  try {
    return (await readText({ path, in: base, limit: LARGEST }, call)).text
  } catch (thrown) {
    call.signal.throwIfAborted()
    if (isFault(thrown)) return undefined
    throw thrown
  }
}
