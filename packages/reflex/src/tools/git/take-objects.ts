import { createHash } from 'node:crypto'
import { constants, createReadStream, existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs'
import { chmod, copyFile, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createInflate } from 'node:zlib'
import { systemCode } from '../refusals.ts'
import { HASH } from './ref-names.ts'

/** Runs git on the repository. Rejects if git fails. */
export type RunGit = (args: readonly string[], stdin?: string | number) => Promise<string>

/**
 * Takes the objects that a command wrote into its copy of a repository. A loose object is read completely and kept if
 * its content has the hash in its name; a pack goes through `git index-pack`, which reads all of it. Returns the names
 * of files that are not valid objects.
 */
export async function takeObjects(copy: string, gitDir: string, runGit: RunGit): Promise<readonly string[]> {
  const [from, to] = [join(copy, 'objects'), join(gitDir, 'objects')]
  const wrong: string[] = []
  if (!isPlainFolder(from)) return ['objects']
  for (const name of readdirSync(from)) {
    if (!/^[\da-f]{2}$/.test(name)) continue
    if (!isPlainFolder(join(from, name))) wrong.push(`objects/${name}`)
    else wrong.push(...(await takeLoose(join(from, name), join(to, name), name)))
  }
  wrong.push(...(await takePacks(join(from, 'pack'), runGit)))
  return wrong
}

async function takeLoose(from: string, to: string, first: string): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const rest of readdirSync(from)) {
    const [source, target, hash] = [join(from, rest), join(to, rest), `${first}${rest}`]
    if (!HASH.test(hash)) continue
    if (existsSync(target)) continue
    if (await isObject(source, hash)) await move(source, to, target)
    else wrong.push(`objects/${first}/${rest}`)
  }
  return wrong
}

async function move(source: string, folder: string, target: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await chmod(source, 0o444)
  try {
    renameSync(source, target)
  } catch (thrown) {
    if (systemCode(thrown) !== 'EXDEV') throw thrown
    await copyFile(source, `${target}.reflex`)
    await rename(`${target}.reflex`, target)
  }
}

/** True if a file is a git object with exactly this hash: `KIND SIZE NUL CONTENT`, deflated. */
async function isObject(path: string, hash: string): Promise<boolean> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return false
  await using file = handle
  if (!(await file.stat()).isFile()) return false
  const digest = createHash(hash.length === 40 ? 'sha1' : 'sha256')
  let [head, size] = ['', 0]
  try {
    await pipeline(createReadStream('', { fd: file, autoClose: false }), createInflate(), async (parts: AsyncIterable<Uint8Array>) => {
      for await (const part of parts) {
        if (size < LONGEST_HEAD) head += String.fromCharCode(...part.subarray(0, LONGEST_HEAD))
        size += part.length
        digest.update(part)
      }
    })
  } catch {
    return false
  }
  const [whole, length] = /^(?:blob|tree|commit|tag) (\d+)\0/.exec(head) ?? []
  return whole !== undefined && Number(length) === size - whole.length && digest.digest('hex') === hash
}

const LONGEST_HEAD = 40

async function takePacks(folder: string, runGit: RunGit): Promise<readonly string[]> {
  const wrong: string[] = []
  for (const name of isPlainFolder(folder) ? readdirSync(folder) : []) {
    if (!/^pack-[\da-f]+\.pack$/.test(name)) continue
    const handle = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined)
    if (handle === undefined) {
      wrong.push(`objects/pack/${name}`)
      continue
    }
    await using file = handle
    // For a pipe, git would wait for a writer.
    if (!(await file.stat()).isFile()) wrong.push(`objects/pack/${name}`)
    else await runGit(['index-pack', '--stdin', '--strict'], file.fd).catch(() => wrong.push(`objects/pack/${name}`))
  }
  return wrong
}

function isPlainFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
