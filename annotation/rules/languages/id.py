"""Indonesian, standard and colloquial."""

from annotation.rules.languages.base import Language, listed

LANGUAGE = Language(
    code="id",
    aliases=("ind",),
    abbreviations=listed(
        """
        dll dsb dst dkk tsb yth ybs dgn utk yg thn tgl jl jln gg no nmr hlm kav rt rw ds kec kab kel prov
        dr drs dra drg ir prof h hj kh ust tn ny nn sdr sdri bpk mr mrs ms st pdt rm sr br
        pt cv ud tbk ltd inc co corp bhd
        jend letjen mayjen brigjen kol letkol kapt lettu letda serma sertu kopda
        vol cet ed eds red ket lih bdk ay ps cf vs ca al tel telp ext fax lt min max maks
        jan feb mar apr jun jul agu agt sep sept okt nov des
        """
    ),
    stopwords=listed(
        """
        yang dan atau tetapi tapi namun serta maupun melainkan sedangkan sementara ketika saat sewaktu selagi sambil
        di ke dari pada kepada daripada dalam dengan untuk bagi oleh tentang terhadap antara hingga sampai sejak
        selama sebelum sesudah setelah karena sebab akibat agar supaya jika kalau apabila bila bilamana andai meski
        meskipun walau walaupun biarpun bahwa sebagai seperti ibarat bak secara menurut melalui lewat demi tanpa
        ini itu tersebut sini situ sana begini begitu demikian
        saya aku kami kita anda kamu engkau kau kalian dia ia beliau mereka nya
        adalah ialah yaitu yakni merupakan ada terdapat menjadi jadi adanya berada
        akan telah sudah sedang masih lagi belum pernah dapat bisa boleh harus mesti perlu mau ingin hendak
        tidak bukan tak jangan tiada tiadalah tidaklah bukanlah enggak nggak ngga gak ga ndak kagak takkan
        apa siapa mana kapan mengapa kenapa bagaimana berapa apakah siapakah manakah
        sangat amat sekali lebih paling kurang cukup terlalu agak hampir hanya cuma saja juga pun lah kah tah
        semua seluruh setiap tiap para beberapa banyak sedikit sebagian masing suatu sebuah seorang seekor satu
        salah lain lainnya sama sendiri hal para sang si pula malah bahkan justru kemudian lalu maka
        """
    ),
    negations=listed(
        """
        tidak tidaklah tidakkah bukan bukanlah bukankah bukannya belum belumlah jangan janganlah tak takkan
        tiada tiadalah tanpa enggak nggak ngga gak ga ndak kagak mustahil
        """
    ),
)
