import { globSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../src')
const HOSTS = /^(kernel|cli)\/host\.ts$|^host\.ts$|^testing\//
const READS_THE_CLOCK = /\bnew Date\(\s*\)|(?<!new )\bDate\(/

// oxlint bans the other clocks; this one differs from a harmless `new Date(time)` only by what is not there.
it('no source makes a date of now', () => {
  const guilty = globSync('**/*.ts', { cwd: SRC })
    .filter((file) => !HOSTS.test(file.replaceAll('\\', '/')))
    .flatMap((file) => linesOf(file).filter(({ text }) => READS_THE_CLOCK.test(text)))
  expect(guilty.map(({ place, text }) => `${place}  ${text.trim()}`)).toEqual([])
})

it.each([
  ['const now = new Date()', true],
  ['const now = Date()', true],
  ['const then = new Date(time)', false],
  ['const now = host.now()', false],
])('judges %s', (line, guilty) => {
  expect(READS_THE_CLOCK.test(line)).toBe(guilty)
})

function linesOf(file: string): { place: string; text: string }[] {
  const lines = readFileSync(resolve(SRC, file), 'utf8').split('\n')
  return lines.map((text, index) => ({ place: `${file}:${index + 1}`, text })).filter(({ text }) => !/^\s*(\/\/|\*|\/\*)/.test(text))
}
