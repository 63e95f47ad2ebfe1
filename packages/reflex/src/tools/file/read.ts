import { Buffer, isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { causeOf, type FaultDetails, isList, isObject, type Json } from '../../kernel/index.ts'
import { count, filePath, flag, namedArguments, withDefault, text, word } from '../arguments.ts'
import { faults } from '../faults.ts'
import { openFile } from '../open-file.ts'
import { absolutePath, type Base, counted, lineCount, readCapability, shownPath } from '../paths.ts'
import { defineTool, type Tool, type ToolCall } from '../tool.ts'

const DEFAULT_LIMIT = 1_000_000
const MOST = 16_000_000

function fileArguments(home: string | undefined) {
  return { path: filePath(home), in: withDefault(word('work', 'run'), 'work'), limit: withDefault(count(1, MOST), DEFAULT_LIMIT) } as const
}

/**
 * Reads a file: a text as `{path, text, bytes, lines}`, any file as `{path, data, bytes, hash}` with its content in
 * base64.
 */
export const fileRead = (home?: string): Tool =>
  defineTool({
    name: 'file.read',
    description: 'Reads a UTF-8 text file below the work folder. limit: the maximum bytes of the file. as: base64 for any other file.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({ ...fileArguments(home), as: withDefault(word('text', 'base64'), 'text') }),
    needs: (args, place) => [readCapability(args.path, args.in, place)],
    async run(args, call) {
      if (args.as === 'base64') return readBytes(args, call)
      const read = await readText(args, call)
      return { path: read.shown, text: read.text, bytes: read.bytes, lines: lineCount(read.text) }
    },
    says: (args, result) => `${args.path}, ${'lines' in result ? counted(result.lines, 'line') : counted(result.bytes, 'byte')}`,
  })

/** Reads a JSON file, or the value at a JSON pointer in it. */
export const jsonRead = (home?: string): Tool =>
  defineTool({
    name: 'json.read',
    description:
      'Reads a JSON file below the work folder. pointer: only the value at this JSON pointer. missing: true to return null if there is no such value.',
    leaves: false,
    repeat: 'free',
    input: namedArguments({
      ...fileArguments(home),
      pointer: withDefault(text('a JSON pointer'), ''),
      missing: withDefault(flag(), false),
    }),
    needs: (args, place) => [readCapability(args.path, args.in, place)],
    async run(args, call) {
      const { text: source, shown } = await readText(args, call)
      const value = valueAt(parse(source, shown), args.pointer, shown)
      if (value !== undefined) return value
      if (args.missing) return null
      throw faults.make('R4111', `${shown} has nothing at ${args.pointer}`, { file: shown, fix: 'name an existing value' })
    },
    says: (args) => `${args.path}${args.pointer}`,
  })

/** A file to read, and the most bytes that it may have. */
interface FileRequest {
  readonly path: string
  readonly in: Base
  readonly limit: number
}

async function readAll(
  { path, in: base, limit }: FileRequest,
  call: ToolCall,
): Promise<{ readonly bytes: Buffer; readonly shown: string }> {
  await using file = await openFile(absolutePath(path, base, call), call)
  const shown = shownPath(file.realPath, call)
  const bytes = await readUpTo(file.handle, limit + 1)
  if (bytes.length <= limit) return { bytes, shown }
  throw faults.make('R4108', `${shown} has more than ${limit} bytes`, {
    file: shown,
    fix: limit < MOST ? 'raise limit, or read a smaller file' : 'read a smaller file',
  })
}

/** Reads a file as bytes, with the SHA-256 of its content. */
async function readBytes(args: FileRequest, call: ToolCall) {
  const { bytes, shown } = await readAll(args, call)
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { path: shown, data: bytes.toString('base64'), bytes: bytes.length, hash }
}

interface TextFile {
  readonly text: string
  readonly bytes: number
  readonly shown: string
}

/** Reads a whole text file. Throws `R4108` beyond `limit` bytes, `R4109` for a file that is not UTF-8. */
export async function readText(args: FileRequest, call: ToolCall): Promise<TextFile> {
  const { bytes, shown } = await readAll(args, call)
  const read = bytes.toString('utf8')
  if (!isUtf8(bytes))
    throw faults.make('R4109', `${shown} is not UTF-8 at byte ${firstDifference(bytes, Buffer.from(read))}`, { file: shown })
  return { text: read, bytes: bytes.length, shown }
}

/** Reads at most some bytes. The size is not asked first, because it may change before the read. */
async function readUpTo(handle: FileHandle, most: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let total = 0
  while (total < most) {
    const part = Buffer.allocUnsafe(Math.min(65_536, most - total))
    const { bytesRead } = await handle.read(part, 0, part.length, null)
    if (bytesRead === 0) break
    parts.push(part.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(parts)
}

function firstDifference(bytes: Buffer, decoded: Buffer): number {
  const at = bytes.findIndex((byte, i) => byte !== decoded[i])
  return at < 0 ? bytes.length : at
}

function parse(source: string, shown: string): Json {
  try {
    return JSON.parse(source.startsWith('\ufeff') ? source.slice(1) : source) as Json
  } catch (thrown) {
    const cause = causeOf(thrown)
    const message = typeof cause === 'string' ? cause : cause.message
    throw faults.make('R4110', `${shown} is not JSON`, { file: shown, ...placeIn(message), cause: message })
  }
}

/** Returns the line and column that the parser reports, if it does. */
function placeIn(message: string): FaultDetails {
  const [, line, column] = /line (\d+) column (\d+)/.exec(message) ?? []
  return line === undefined ? {} : { line: Number(line), column: Number(column) }
}

/** Returns the value at a JSON pointer (RFC 6901), by own keys only. */
function valueAt(value: Json, pointer: string, shown: string): Json | undefined {
  if (pointer === '') return value
  if (!pointer.startsWith('/'))
    throw faults.make('R4101', `a pointer must start with a slash; ${JSON.stringify(pointer)} does not`, {
      file: shown,
      fix: `write /${pointer}`,
    })
  let at: Json | undefined = value
  for (const step of pointer.slice(1).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (isList(at)) at = /^(0|[1-9]\d*)$/.test(key) ? at[Number(key)] : undefined
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined
    if (at === undefined) return undefined
  }
  return at
}
