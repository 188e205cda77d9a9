package yardstick

// Figures of the first three updates, computed in float64 by an independent PyTorch 1.13 program of the same update.
var expected = map[string][3]Figures{
	"tcl-pearl oyster": {
		{"kl": 141.469520619, "q_loss": 49.9809259627, "tcl_loss": 2.7725846354, "v_loss": 16.4225516168, "policy_loss": -4.01481131848, "grad_encoder": 2.59912918771, "grad_q1": 0.387106224664, "grad_q2": 0.398008099995, "grad_v": 18.8238031362, "grad_policy": 1.22024716177},
		{"kl": 141.246164344, "q_loss": 49.9758311483, "tcl_loss": 2.77258456449, "v_loss": 16.1879510485, "policy_loss": -4.00561799273, "grad_encoder": 2.60350733211, "grad_q1": 0.32445941679, "grad_q2": 0.32715763575, "grad_v": 18.7645557908, "grad_policy": 1.11127449086},
		{"kl": 141.016781685, "q_loss": 49.971628288, "tcl_loss": 2.77258452326, "v_loss": 16.0891034047, "policy_loss": -4.01301791627, "grad_encoder": 2.65058389814, "grad_q1": 0.268701993241, "grad_q2": 0.267675726426, "grad_v": 19.1214119236, "grad_policy": 1.03367111335},
	},
	"tcl-pearl metaworld": {
		{"kl": 197.983740038, "q_loss": 199.917664104, "tcl_loss": 2.77258305689, "v_loss": 7.27063014684, "policy_loss": -2.65905091879, "grad_encoder": 4.01274185572, "grad_q1": 0.76955634335, "grad_q2": 0.800342420217, "grad_v": 14.1151942796, "grad_policy": 1.09868331705},
		{"kl": 197.300682854, "q_loss": 199.903976997, "tcl_loss": 2.77258320855, "v_loss": 7.06241657994, "policy_loss": -2.64737353909, "grad_encoder": 4.08830243558, "grad_q1": 0.67866424107, "grad_q2": 0.697586439544, "grad_v": 14.0826317003, "grad_policy": 0.939743368194},
		{"kl": 196.573738595, "q_loss": 199.891995207, "tcl_loss": 2.7725832737, "v_loss": 6.92646206483, "policy_loss": -2.65139166071, "grad_encoder": 4.30813210538, "grad_q1": 0.609847811003, "grad_q2": 0.619575289846, "grad_v": 14.4917536296, "grad_policy": 0.854680183864},
	},
	"pearl oyster": {
		{"kl": 141.469520619, "q_loss": 49.9809259627, "v_loss": 16.4225516168, "policy_loss": -4.01481131848, "grad_encoder": 2.59912910838, "grad_q1": 0.387106224664, "grad_q2": 0.398008099995, "grad_v": 18.8238031362, "grad_policy": 1.22024716177},
		{"kl": 141.246165792, "q_loss": 49.975831148, "v_loss": 16.1879510537, "policy_loss": -4.00561799181, "grad_encoder": 2.6034790478, "grad_q1": 0.324459414402, "grad_q2": 0.327157644088, "grad_v": 18.7645559059, "grad_policy": 1.11127450143},
		{"kl": 141.016786421, "q_loss": 49.9716282904, "v_loss": 16.0891036419, "policy_loss": -4.01301794292, "grad_encoder": 2.65055137491, "grad_q1": 0.268702562059, "grad_q2": 0.267675727651, "grad_v": 19.1214116882, "grad_policy": 1.03367112548},
	},
	"pearl metaworld": {
		{"kl": 197.983740038, "q_loss": 199.917664104, "v_loss": 7.27063014684, "policy_loss": -2.65905091879, "grad_encoder": 4.01274195842, "grad_q1": 0.76955634335, "grad_q2": 0.800342420217, "grad_v": 14.1151942796, "grad_policy": 1.09868331705},
		{"kl": 197.300679733, "q_loss": 199.903976996, "v_loss": 7.06241657807, "policy_loss": -2.64737353866, "grad_encoder": 4.08830992545, "grad_q1": 0.678664245447, "grad_q2": 0.697586434894, "grad_v": 14.0826318049, "grad_policy": 0.939743367743},
		{"kl": 196.573735408, "q_loss": 199.891995203, "v_loss": 6.92646269646, "policy_loss": -2.6513917789, "grad_encoder": 4.30813988805, "grad_q1": 0.609847640393, "grad_q2": 0.619575247794, "grad_v": 14.4917535726, "grad_policy": 0.854680130506},
	},
}

// Figures of the meta-update, computed in float64 by package torch's program for PyTorch 1.13, which takes the Hessian
// of the divergence literally, by backward passes through the inner step.
var expectedMeta = map[string]Figures{
	"oyster":    {"loss_before": -0.00637604674771, "grad_norm": 0.126876374465, "loss_after": -0.0347152635972, "kl": 0.00696795452855, "step_norm": 0.813481591614},
	"metaworld": {"loss_before": -0.00637604674771, "grad_norm": 0.0846538948368, "loss_after": -0.0241356558341, "kl": 0.00824866013348, "step_norm": 1.14904487157},
}

// Expected returns the figures of the meta-update, the same for every step.
func (y *Meta) Expected(int) Figures { return expectedMeta[y.size.Name] }

// Figures of three epochs of RL²-PPO, of three cycles of MQL and of three updates of the oracle, computed in float64 by package torch's programs for
// PyTorch 1.13.
var expectedBaselines = map[string][3]Figures{
	"rl2 oyster": {
		{"loss": -1.00139334001, "grad": 1.19064272107},
		{"loss": -1.04913500746, "grad": 0.910236933594},
		{"loss": -1.07330225853, "grad": 0.431370280867},
	},
	"rl2 metaworld": {
		{"loss": -1.00139334017, "grad": 0.852772656933},
		{"loss": -1.03087083497, "grad": 0.789284831634},
		{"loss": -1.05032215753, "grad": 0.348811961462},
	},
	"mql oyster": {
		{"critic_loss": 1.81035943091, "grad_critic": 0.508229683317, "actor_loss": 0.0701788669431, "grad_actor": 0.0425684453516, "last_critic_loss": 1.70685196332},
		{"critic_loss": 1.61613977451, "grad_critic": 0.436798726968, "actor_loss": 0.0158118582454, "grad_actor": 0.0922103702105, "last_critic_loss": 1.53872835055},
		{"critic_loss": 1.47225426826, "grad_critic": 0.480120615493, "actor_loss": -0.00762913451844, "grad_actor": 0.17919251235, "last_critic_loss": 1.40354161091},
	},
	"mql metaworld": {
		{"critic_loss": 1.78692021084, "grad_critic": 0.428363199695, "actor_loss": 0.0521693854871, "grad_actor": 0.0593461779054, "last_critic_loss": 1.66992720966},
		{"critic_loss": 1.62496300437, "grad_critic": 0.336249057791, "actor_loss": 0.0414466635109, "grad_actor": 0.0916121270692, "last_critic_loss": 1.54192547837},
		{"critic_loss": 1.50224206508, "grad_critic": 0.355035922532, "actor_loss": 0.0112062725716, "grad_actor": 0.143335441013, "last_critic_loss": 1.42806431164},
	},
	"oracle oyster": {
		{"q_loss": 31.905443496, "policy_loss": -3.95309994027, "entropy": 3.98886694848, "alpha": 0.979375495349, "grad_q1": 12.7008303824, "grad_q2": 13.3129903334, "grad_policy": 1.03815599569},
		{"q_loss": 31.5672914452, "policy_loss": -4.03710653914, "entropy": 4.00819103757, "alpha": 0.979081726771, "grad_q1": 12.6813102715, "grad_q2": 13.5348014727, "grad_policy": 0.961308597416},
		{"q_loss": 31.2729319826, "policy_loss": -4.1450264566, "entropy": 4.04941112406, "alpha": 0.978788034165, "grad_q1": 12.8966578359, "grad_q2": 13.9936338503, "grad_policy": 0.713517317604},
	},
	"oracle metaworld": {
		{"q_loss": 15.3021424642, "policy_loss": -2.65395427498, "entropy": 2.63233564899, "alpha": 0.979375495349, "grad_q1": 9.29478931672, "grad_q2": 9.94938788813, "grad_policy": 1.07119783111},
		{"q_loss": 14.4829854561, "policy_loss": -2.7931176426, "entropy": 2.66925665466, "alpha": 0.979081726773, "grad_q1": 9.25105128332, "grad_q2": 9.98553844467, "grad_policy": 0.839095281786},
		{"q_loss": 13.8671314812, "policy_loss": -2.94211333042, "entropy": 2.7092366418, "alpha": 0.978788009907, "grad_q1": 9.50129142507, "grad_q2": 10.2905922959, "grad_policy": 0.52135247785},
	},
}

// Expected returns the figures of epoch number step, 0 to 2.
func (y *RL2) Expected(step int) Figures { return expectedBaselines["rl2 "+y.size.Name][step] }

// Expected returns the figures of cycle number step, 0 to 2.
func (y *MQL) Expected(step int) Figures { return expectedBaselines["mql "+y.size.Name][step] }

// Expected returns the figures of update number step, 0 to 2.
func (y *Oracle) Expected(step int) Figures { return expectedBaselines["oracle "+y.size.Name][step] }

// Algorithm is "tcl-pearl" or "pearl".
func (y *Yardstick) Algorithm() string {
	if y.tcl {
		return "tcl-pearl"
	}
	return "pearl"
}

// Expected returns the figures of update number step, 0 to 2, to twelve digits.
func (y *Yardstick) Expected(step int) Figures {
	return expected[y.Algorithm()+" "+y.size.Name][step]
}
