/** Crockford's digits: no two look alike. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'

const NOUNS = (
  'adder agate alder alpaca amber ant apple apron arch ash aspen aster atlas auk badger bamboo barley basil basin bay beach beam bear beaver bee ' +
  'beech beetle bell berry birch bison boat bonsai borage bough bream breeze brick bridge brook buck bush cabin camel canary candle canoe canyon ' +
  'carp castle cat cave cedar chalk cherry cicada clam cliff cloud clover cobalt coast cobra cocoa comet condor copper coral cove cow crab crane ' +
  'creek cress crow crown cub cypress daisy dale dawn deer delta dew dingo dock dog dome dove dragon drum duck dune eagle earth eel egret elk elm ' +
  'ember emu fawn fennel fern ferret field fig finch fir fjord flame flax flint forest fossil fox frog garden garnet gecko geyser ginger glade ' +
  'goat goose gorge grain grape grove gull gully hare harp hawk hazel heath heron hill holly honey hornet horse ibex ibis iris island ivy jade ' +
  'jaguar jasper jay kale kelp kite kiwi koala lake lark larch laurel lemon lichen lilac lily linden lion llama lobster locust lotus lynx ' +
  'magpie maple marsh marten meadow melon merlin mint mole moon moose moss moth mule newt nutmeg oak oasis oat ocean olive onyx opal orca orchid ' +
  'oriole osprey otter owl ox oyster palm panda parrot peach pear pearl pebble pecan pepper petrel pike pine plover plum pond poplar poppy prawn ' +
  'puffin puma quail quartz quince rabbit rain raven reed reef ridge river robin rook rose ruby rye saffron sage salmon sand seal shell shore ' +
  'shrew shrike siskin skunk sloth snail snipe snow sparrow spruce squid star stoat stone stork storm stream sun swan swift tapir teal tern ' +
  'thistle thorn thrush thyme tiger toad topaz trout tulip tundra turtle valley viper vole walnut walrus wasp wave weasel whale wheat willow wolf ' +
  'wombat wren yak yarrow yew zebra'
)
  .split(' ')
  .filter((noun) => noun.length >= 3 && noun.length <= 6)
  .slice(0, 256)

/**
 * Returns a pronounceable run name: a noun, a digit and three characters, such as `otter-2m9q`, from 128 bits given as
 * hexadecimal. Names must be unique per store, so the caller tries again on a conflict.
 */
export function runName(entropy: string): string {
  const bits = BigInt(`0x${entropy}`)
  const draw = (shift: number, size: number) => Number((bits >> BigInt(shift)) % BigInt(size))
  const digit = (shift: number) => DIGITS[draw(shift, 32)] ?? '0'
  return `${NOUNS[draw(0, NOUNS.length)] ?? 'run'}-${draw(16, 10)}${digit(32)}${digit(40)}${digit(48)}`
}
