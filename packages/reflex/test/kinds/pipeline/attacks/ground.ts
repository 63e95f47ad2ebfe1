import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Attack, Fill } from './attack.ts'

/** The text that lies where no run may look. */
const OUTSIDE = 'the-word-outside'

/** Where an attack takes place: a work folder, a folder that is nobody's business, a home, and a server of this machine. */
export interface Ground extends AsyncDisposable {
  readonly root: string
  readonly work: string
  readonly home: string
  /** The paths that the server was asked for. */
  readonly asked: readonly string[]
  readonly fill: Fill
  /** A file of the attack with everything filled in. */
  place(name: string): string
}

/** A ground of its own for each run of an attack, gone with it. */
export async function groundFor({ it }: Attack): Promise<Ground> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reflex-attack-')))
  const [work, outside, home] = [join(root, 'work'), join(root, 'outside'), join(root, 'home')]
  for (const folder of [work, outside, home]) mkdirSync(folder)
  writeFileSync(join(outside, 'word.txt'), OUTSIDE)
  const asked: string[] = []
  const server = createServer((request, response) => {
    const url = request.url ?? ''
    asked.push(url)
    const [, to] = /^\/to\?(.*)$/.exec(url) ?? []
    const [, said] = /^\/say\?(.*)$/.exec(url) ?? []
    if (to === undefined) response.end(said === undefined ? `answer of ${url}` : decodeURIComponent(said))
    else response.writeHead(302, { location: decodeURIComponent(to) }).end()
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const fill: Fill = (text) =>
    text
      .replaceAll('{{work}}', work)
      .replaceAll('{{outside}}', outside)
      .replaceAll('{{home}}', home)
      .replaceAll('{{server}}', `http://127.0.0.1:${port}`)
      .replaceAll('{{port}}', String(port))
  for (const folder of ['work', 'outside', 'home', 'given']) if (it.has(folder)) copyFilled(it.path(folder), join(root, folder), fill)
  if (it.has('links.json'))
    for (const [link, to] of Object.entries(it.json('links.json') as Record<string, string>)) linkTo(join(root, link), fill(to))
  return {
    root,
    work,
    home,
    asked,
    fill,
    place(name) {
      const file = join(root, 'given', name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, fill(it.text(name)))
      return file
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Copies a folder. In the repository no name begins with a dot: `dot-reflex` stands for `.reflex`. */
function copyFilled(from: string, to: string, fill: Fill): void {
  cpSync(from, to, { recursive: true })
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = join(entry.parentPath, entry.name)
    const named = join(to, file.slice(to.length + 1).replaceAll(/(^|\/)dot-/g, '$1.'))
    const text = fill(readFileSync(file, 'utf8'))
    if (named !== file) rmSync(file)
    mkdirSync(dirname(named), { recursive: true })
    writeFileSync(named, text)
    // A program of the attack is one that can be started.
    if (text.startsWith('#!')) chmodSync(named, 0o755)
  }
}

function linkTo(link: string, to: string): void {
  mkdirSync(dirname(link), { recursive: true })
  if (!existsSync(link)) symlinkSync(to, link)
}
