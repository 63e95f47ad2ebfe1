import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { RouteAnswer } from '../../programs/route.ts'
import { serveFaults } from '../../protocol/faults.ts'
import { route } from '../define-route.ts'
import type { ServeRoute } from '../world.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The inbox page. Its files hold nothing, so they need no token; the page gets its token from the fragment of its address. */
export const pageRoutes: readonly ServeRoute[] = [
  route({
    name: 'page.index',
    method: 'GET',
    url: '/',
    does: 'Returns the inbox page.',
    answers: { 200: 'text/html', 304: 'The browser has this version' },
    handle: ({ header }) => answerWith('index.html', header('if-none-match')),
  }),
  route({
    name: 'page.file',
    method: 'GET',
    url: '/page/{file}',
    does: 'Returns a style, a script or an image of the inbox page.',
    path: z.strictObject({ file: z.string().regex(/^[a-z][a-z-]*\.(css|js|svg)$/) }),
    answers: { 200: 'text/javascript', 304: 'The browser has this version' },
    handle: ({ path: { file }, header }) => answerWith(file, header('if-none-match')),
  }),
]

/** Returns a file; nothing if the browser has this version of it. */
async function answerWith(name: string, known: string | undefined): Promise<RouteAnswer> {
  const text = await readFile(new URL(name, folder()), 'utf8').catch(() => {
    throw serveFaults.make('R6007', `the page has no file ${name}`)
  })
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain'
  const tag = `"${createHash('sha256').update(text).digest('base64url')}"`
  const headers = { 'cache-control': 'no-cache', etag: tag }
  return known === tag ? { status: 304, text: '', type, headers } : { text, type, headers }
}

/** Returns the folder of the page: beside the sources, or in the built package. */
function folder(): URL {
  const here = import.meta.url
  return here.endsWith('.ts') ? new URL('../page/', here) : new URL(`${here.slice(0, here.lastIndexOf('/dist/'))}/dist/page/`)
}
