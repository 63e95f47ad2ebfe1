// proves: skill 20, skill 21, skill 22, skill 23, skill 25, skill 31, skill 32, skill 34
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compileExtractor, compileSlotRule } from '../../../../src/kinds/skill/templates/extract.ts'
import { renderFault } from '../../../../src/kinds/skill/templates/rendered.ts'
import type { Json } from '../../../../src/kernel/index.ts'
import { compiled, render, valuesOf } from './templates.ts'

describe('a template', () => {
  it('that is one placeholder keeps the type of its value', () => {
    const values = valuesOf({ n: 5, b: true, o: { a: [1] } }, { steps: { look: { result: { items: ['x', 'y'] } } } })
    expect(render(['{{n}}', '{{ b }}', '{{o}}', '{{steps.look.result.items[1]}}'], values)).toEqual([5, true, { a: [1] }, 'y'])
    expect(render('{{n}} of {{b}}: {{o | json}}', values)).toBe('5 of true: {"a":[1]}')
  })

  it('has no text for an object, a list or null inside text', () => {
    for (const value of [{ a: 1 }, [1], null]) expect(render('x {{o}}', valuesOf({ o: value }))).toBe('template_type')
  })

  it('never reads a value as a template', () => {
    expect(render('<{{s}}>', valuesOf({ s: '{{work.x}}' }, { work: { x: 'secret' } }))).toBe('<{{work.x}}>')
    expect(render('{{s}}{{n}}', valuesOf({ s: '{', n: 1 }))).toBe('{1')
  })

  it.each<[string, readonly string[]]>([
    ['{{none}}', ['E_TEMPLATE_REF']],
    ['{{prev_image_tag}} {{ctx}}', ['E_TEMPLATE_REF', 'E_TEMPLATE_REF']],
    ['{{steps.later.result}}', ['E_TEMPLATE_REF']],
    ['{{steps.look.output}}', ['E_TEMPLATE_REF']],
    ['{{exec.now}}', ['E_TEMPLATE_REF']],
    ['{{ctx.__proto__.x}}', ['E_TEMPLATE_REF']],
    ['{{ctx.constructor}}', ['E_TEMPLATE_REF']],
    ['{{o.a}}', ['E_TEMPLATE_REF']],
    ['{{s | upcase}}', ['E_TEMPLATE_FILTER']],
    ['{{s | default}}', ['E_TEMPLATE_FILTER']],
    ['{{s | trim(1)}}', ['E_TEMPLATE_FILTER']],
    ['{{s', ['E_TEMPLATE_SYNTAX']],
    ['s}}', ['E_TEMPLATE_SYNTAX']],
    ['{{}}', ['E_TEMPLATE_SYNTAX']],
    ['{{s + 1}}', ['E_TEMPLATE_SYNTAX']],
    ['{{s | default("a}}', ['E_TEMPLATE_SYNTAX']],
    ['{{s |}} and {{none}}', ['E_TEMPLATE_SYNTAX', 'E_TEMPLATE_REF']],
  ])('is refused when it is read: %s', (text, rules) => {
    expect(render(text)).toEqual(rules)
  })

  it('marks the place of each mistake in its text', () => {
    const { problems } = compiled({ a: ['ok {{s}} {{srvc | uppr}}'] })
    expect(problems).toMatchObject([{ path: ['a', 0], rule: 'E_TEMPLATE_FILTER', offset: 18, length: 4, guess: 'upper' }])
  })

  it('has no value without a value for each placeholder', () => {
    expect(render({ a: '{{n}}', b: 'x {{work.none}}' }, valuesOf({ n: 1 }))).toBe('template_unbound')
    expect(render('{{work.none | default("x")}}{{work.none | trim | default(2)}}')).toBe('x2')
    expect(render("{{work.none | default('{{}}')}}")).toBe('{{}}')
  })

  it('uses own properties only', () => {
    for (const text of ['{{ctx.toString}}', '{{work.list.length}}', '{{work.text.length}}', '{{ctx.valueOf.name}}'])
      expect(render(text, valuesOf({}, { work: { list: [1], text: 'abc' } }))).toBe('template_unbound')
  })

  it('writes two braces for an escape, and leaves balanced braces alone', () => {
    expect(render('\\{{s}} {{n}}', valuesOf({ n: 1 }))).toBe('{{s}} 1')
    expect(render('{"a":{"b":{{n}}}}', valuesOf({ n: 1 }))).toBe('{"a":{"b":1}}')
  })

  it('has a fixed list of filters', () => {
    const values = valuesOf({ s: ' A b/C.txt ' })
    expect(render('{{s | trim | lower}}|{{s | trim | upper}}|{{s | trim | basename}}|{{s | trim | url}}', values)).toBe(
      'a b/c.txt|A B/C.TXT|C.txt|A%20b%2FC.txt',
    )
    expect(render('{{o | lower}}', valuesOf({ o: {} }))).toBe('template_type')
    expect(render('x{{s | url}}', valuesOf({ s: '\ud800' }))).toBe('template_type')
  })

  it('has an argument of at most 32 KiB, whatever its values are', () => {
    const large = 'ä'.repeat(20_000)
    expect(render('{{s}}', valuesOf({ s: large }))).toBe('arg_too_large')
    expect(render('{{s}}'.repeat(5000), valuesOf({ s: large }))).toBe('arg_too_large')
    expect(render('{{o}}', valuesOf({ o: [large] }))).toBe('arg_too_large')
    expect(render('{{s}}', valuesOf({ s: 'a'.repeat(32_768) }))).toHaveLength(32_768)
  })

  it('never throws, whatever its text is', () => {
    const part = fc.constantFrom('{{', '}}', '\\{{', 's', 'ctx.', ' | ', 'default(', '"', ')', '[0]', 'https://', '/', '{', '}', '🎉')
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), fc.jsonValue(), (parts, value) => {
        render(parts.join(''), valuesOf({ s: value as Json }))
        render({ cmd: parts.join('') }, valuesOf({ s: value as Json }), {
          secrets: true,
          command: { argument: 'cmd', shell: parts.length % 2 === 0 },
        })
      }),
      { numRuns: 500, seed: 3 },
    )
  })
})

describe('a value in a URL', () => {
  it.each(['evil/#', 'a@b', 'a:1', 'evil.example/#', 'a?b', 'a\\b', '-a', '', 'a b', '[::1]'])('cannot change the host: %s', (label) => {
    expect(render('https://{{label}}.host/', valuesOf({ label }))).toBe('url_authority')
  })

  it.each(['2130706433', '0x7f000001', '127.1'])('cannot be an address in another form: %s', (label) => {
    expect(render('https://{{label}}/', valuesOf({ label }))).toBe('url_authority')
  })

  it.each([
    'https://{{free}}.host/',
    'https://{{work.host}}/',
    'https://user:{{free}}@host/',
    '{{free}}://host/',
    '{{url}}{{free}}',
    'x{{free}}s://host/',
  ])('of a free type is refused when it is read: %s', (text) => {
    expect(render(text)).toEqual(['E_URL_AUTHORITY'])
  })

  it('is encoded in the path, the query and the fragment', () => {
    const values = valuesOf({ label: 'pay-stg', port: 8080, s: "a/b?c#d e&'%", url: 'https://a.com/x' })
    expect(render('https://{{label}}.host:{{port}}/x/{{s}}?q={{s}}#{{s}} {{s}}', values)).toBe(
      "https://pay-stg.host:8080/x/a%2Fb%3Fc%23d%20e%26%27%25?q=a%2Fb%3Fc%23d%20e%26%27%25#a%2Fb%3Fc%23d%20e%26%27%25 a/b?c#d e&'%",
    )
    expect(render('{{url}}/y/{{s | url}}', values)).toBe('https://a.com/x/y/a%2Fb%3Fc%23d%20e%26%27%25')
    expect(render('https://h/{{s}}/x', valuesOf({ s: '..' }))).toBe('path_escape')
    expect(render('https://h/?q={{s}}', valuesOf({ s: '..' }))).toBe('https://h/?q=..')
  })
})

describe('a path', () => {
  it.each(['../x', '/etc/passwd', 'a/../../b', 'a\0b', '..', 'C:\\x', '~/.ssh/id', 'a\\..\\b', ''])(
    'cannot leave its folder: %s',
    (dir) => {
      expect(render('{{dir}}', valuesOf({ dir }))).toBe('path_escape')
      expect(render('out/{{dir}}', valuesOf({ dir }))).toBe('path_escape')
    },
  )

  it('can be part of another path', () => {
    expect(render('out/{{dir}}.txt', valuesOf({ dir: 'a/b' }))).toBe('out/a/b.txt')
    expect(render('out/.{{dir}}', valuesOf({ dir: './x' }))).toBe('path_escape')
  })
})

describe('a secret', () => {
  it('is only ever a name, and a whole argument', () => {
    const { value, problems } = compiled({ token: '{{secret}}', body: ['x', '{{hidden}} y'] })
    expect(problems).toEqual([])
    expect(value.marks).toEqual({ secrets: [['token']], sensitive: [['token'], ['body', 1]] })
    expect(render('Bearer {{secret}}')).toEqual(['E_SECRET_TEXT'])
    expect(render('{{secret | lower}}')).toEqual(['E_SECRET_TEXT'])
    expect(render('{{secret}}', valuesOf({ secret: 'vault://a' }), { secrets: false })).toEqual(['E_SECRET_TEXT'])
  })

  it('is in no message of a failure', () => {
    const { value } = compiled('https://{{label}}/')
    const result = value.render(valuesOf({ label: 'hunter2/x' }))
    expect(JSON.stringify(result.ok ? '' : renderFault(result.failure))).not.toContain('hunter2')
  })
})

describe('an extractor', () => {
  function extract(extractor: Parameters<typeof compileExtractor>[0], value: Json): unknown {
    const made = compileExtractor(extractor)
    return typeof made === 'function' ? made(value) : made.key
  }

  it('takes a value by its pointer', () => {
    expect(extract('/a/0/b~1c', { a: [{ 'b/c': 1 }] })).toBe(1)
    expect(extract('', 'x')).toBe('x')
    expect(extract('/a/length', { a: [1] })).toBeUndefined()
    expect(extract('/toString', {})).toBeUndefined()
    expect(extract('/a/b', 'text')).toBeUndefined()
  })

  it('takes a part of a text, or of the output of a command', () => {
    const output = { code: 0, stdout: 'image: acr.io/pay:1\r\nok\n' }
    expect(extract({ regex: 'image: (\\S+)' }, output)).toBe('acr.io/pay:1')
    expect(extract({ regex: 'image: (\\S+)', group: 0 }, output)).toBe('image: acr.io/pay:1')
    expect(extract({ regex: 'none' }, output)).toBeUndefined()
    expect(extract({ line: 1 }, output)).toBe('image: acr.io/pay:1')
    expect(extract({ line: 2 }, output)).toBe('ok')
    expect(extract({ line: 3 }, output)).toBeUndefined()
    expect(extract({ json: true, pointer: '/a' }, '{"a": 5}')).toBe(5)
    expect(extract({ json: true, pointer: '/a' }, '{"a": ')).toBeUndefined()
    expect(extract({ line: 1 }, { code: 0 })).toBeUndefined()
  })

  it('that cannot be read names its wrong key', () => {
    expect(extract({ regex: '(?=a)' }, '')).toBe('regex')
    expect(extract({ regex: '(a)(b)', group: 2 }, '')).toBe('group')
    expect(extract({ json: true, pointer: 'a' }, '')).toBe('pointer')
  })

  it('of a slot takes the first of its words', () => {
    const rule = compileSlotRule({ enum: ['staging', 'prod', 'production'] })
    expect(typeof rule === 'function' ? rule('Deploy to Production, not staging') : '').toBe('production')
    expect(typeof rule === 'function' ? rule('products') : '').toBeUndefined()
  })
})
